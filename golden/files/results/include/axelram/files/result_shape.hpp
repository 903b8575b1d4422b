#pragma once

#include <cstddef>
#include <optional>

#include "axelram/attention_output.hpp"
#include "axelram/parameters.hpp"

namespace axelram::files {

/// The parameters and counts that decide which tensors a result has, and their shapes. A result
/// that was read from a file has only the parameters that its tensors depend on: head_dim,
/// index_bits, kind, scale, split_high and split_low. Its exact_first is 1 if there are exact
/// tokens.
struct ResultShape {
  Parameters parameters;
  std::size_t tokens = 0;
  std::size_t queries = 0;
  std::size_t codeword_bytes = 0;       ///< 0: no code
  std::size_t copies = 0;               ///< tokens that hold a copy after the last key
  std::optional<OutputFormat> output;   ///< of a macro that attends
  std::optional<std::size_t> commands;  ///< rows of `commands`; of a trace that has them

  bool trellis() const { return parameters.trellis(); }
  bool prod() const { return parameters.prod(); }
  bool split() const { return parameters.split(); }
  bool unbiased() const { return parameters.scale == ScaleKind::unbiased; }
  bool has_copies() const { return parameters.copies() != 0; }
  bool attends() const { return output.has_value(); }

  std::size_t head_dim() const { return static_cast<std::size_t>(parameters.head_dim); }
  std::size_t parts() const { return split() ? 2 : 1; }  ///< vectors of a key, each with a norm
  /// Levels of sub-vector j; of the whole key without a split.
  std::size_t levels_of(std::size_t j) const;
  std::size_t level_count() const;     ///< of all vectors of a key
  std::size_t boundary_count() const;  ///< the same; of a trellis 0
  std::size_t record_bytes() const;
};

}  // namespace axelram::files
