#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/binary_scale.hpp"
#include "axelram/files/result_shape.hpp"
#include "axelram/files/result_tensors.hpp"
#include "axelram/files/safetensors.hpp"

namespace axelram::files {

/// Result of a macro for one trace (bit-contract.md#result): shape, tensors and metadata. It does
/// not depend on the engine, so all engines write the same bytes. With a split a row has the
/// elements or words of sub-vector 0 and then those of 1.
struct Result : ResultShape, ResultTensors {
  double score_scale = 0;  ///< CodebookRom::score_scale
  double kappa = 0;
  double second_kappa = 0;                         ///< of sub-vector 1
  std::vector<std::int32_t> centroids;             ///< ROM words C_j, one for each level, ascending
  std::vector<std::int32_t> boundaries;            ///< ROM words B_j, ascending; a trellis none
  std::vector<std::int32_t> reconstruction_words;  ///< Lambda_j of a trellis, Gamma_j of prod
  std::uint32_t residual_scale = 0;                ///< Z of prod
  BinaryScale softmax_scale, value_scale;          ///< of a macro that attends
  int weight_bits = 0;                             ///< likewise

  /// Element `at` of `outputs`; exact in either format.
  float output_at(std::size_t at) const;
  /// Sets it from its bits in the format of the output.
  void set_output(std::size_t at, std::uint32_t bits);
};

/// Gives every tensor the size that the shape asks for. New elements are 0; of `maxima` and
/// `weight_references` kNoReference, as what is rejected or not seen has.
void allocate(Result* result);

/// The first tensor that does not fill its shape: "thresholds: 6 values in the shape [2, 7]"; "" if
/// all do.
std::string wrong_tensor(const Result& result);

/// Bytes of a row of all tensors whose first axis is this one.
std::size_t row_bytes(const ResultShape& shape, const Axis& axis);

/// Elements of all tensors.
std::size_t value_count(const Result& result);

/// Throws like write_safetensors, and std::logic_error if a vector does not match the sizes.
void write_result(const std::string& path, const Result& result, bool force);

/// Throws InputError for a file that write_result would not write.
Result read_result(const std::string& path);
Result result_from(const Safetensors& file);

/// First difference of two results, in file order. Bits are compared, so +0 differs from -0.
struct Difference {
  std::string name;  ///< tensor, or metadata key, or "shape of NAME"
  std::optional<std::size_t> row;
  std::optional<std::size_t> column;
  std::string first;   ///< the value in the first result
  std::string second;  ///< the value in the second one

  std::string text() const;  ///< "accumulators, row 3, column 17: 120 against 121"
};

std::optional<Difference> first_difference(const Result& first, const Result& second);

}  // namespace axelram::files
