#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/exact.hpp"
#include "axelram/feedback.hpp"
#include "axelram/head_rotation.hpp"
#include "axelram/parameters.hpp"
#include "axelram/unit_table.hpp"

namespace axelram {

enum class KeyStatus { stored, rejected_nonfinite, rejected_full };
enum class QueryStatus { scored, rejected_nonfinite };

/// Results of the write path for one vector: a key, or a sub-vector of it.
struct VectorResult {
  bool norm_saturated = false;                ///< of a norm, the residual one included
  std::uint16_t norm = 0;                     ///< FP16 bits
  std::uint32_t root = 0;                     ///< N
  std::vector<std::int32_t> thresholds;       ///< T_j, 2^b - 1; empty with a trellis
  std::vector<std::int32_t> reconstructions;  ///< R_j; with a trellis or the kind prod
  std::vector<std::uint8_t> indices;          ///< d
  std::vector<std::uint8_t> levels;           ///< d; only with a trellis
  std::uint32_t path_cost = 0;                ///< of the path through the trellis
  bool scale_refused = false;                 ///< A <= 0: there is no unbiased norm, and it is 0
  std::int64_t correlation = 0;               ///< A; 0 if the scale is not unbiased
};

/// The residual of a key, its difference to its levels (bit-contract.md#residual-1); with the kind
/// prod.
struct ResidualResult {
  std::uint16_t norm = 0;           ///< FP16 bits
  int shift = 0;                    ///< h
  std::vector<std::uint8_t> signs;  ///< t_i, d
};

/// Results of the write path for one key (bit-contract.md#write-1): of the key, or of its
/// sub-vector 0. If the key is rejected, all but status is empty or zero.
struct KeyResult : VectorResult {
  KeyStatus status = KeyStatus::stored;
  int exponent = 0;                    ///< e: the aligned key is m * 2^e
  VectorResult second;                 ///< of sub-vector 1; with a split
  ResidualResult residual;             ///< with the kind prod
  std::vector<std::uint8_t> record;    ///< record_bytes
  KeyCopy copy;                        ///< empty without exact tokens
  std::vector<std::uint8_t> codeword;  ///< stored bytes with a code; empty without one
};

/// Results of the read path for one query (bit-contract.md#read-1). If the query is rejected, all
/// but status is empty or zero.
struct QueryResult {
  QueryStatus status = QueryStatus::scored;
  std::vector<std::int32_t> u;    ///< rounded rotated query, d; with a split sub-vector 0 first
  int exponent = 0;               ///< e_u
  std::vector<std::int32_t> v;    ///< u rotated again and rounded, d; with the kind prod
  int residual_exponent = 0;      ///< e_v
  std::vector<std::int64_t> acc;  ///< one per stored key
  std::vector<std::int64_t> second_acc;  ///< of the second part of a record; one per stored key
  std::vector<std::uint8_t> exact;  ///< one per stored key: 1 if its copy was scored; empty without
                                    ///< exact tokens
  std::vector<float> scores;  ///< one per stored key; times score_scale it approximates <q, k>
  int saturated = 0;          ///< scores clamped to +-FLT_MAX
};

/// A macro without its memory: the write path up to the record, and the read path from records to
/// scores. One thread at a time: it holds intermediate vectors.
class Datapath {
 public:
  /// rom: codebook_rom(parameters), shared by all datapaths of the same parameters. center:
  /// head_dim raw elements of the element format if parameters.centered, otherwise empty. Throws
  /// std::invalid_argument as check_rotation, for a center of another size, or a center element
  /// that is not finite.
  Datapath(const Parameters& parameters, std::shared_ptr<const CodebookRom> rom,
           HeadRotation rotation, std::vector<std::uint16_t> center,
           const UnitTable& units = reference_units());

  /// From now on the indices of keys are chosen with feedback (bit-contract.md#feedback); null: as
  /// the hardware chooses them. Throws std::invalid_argument unless the scale is unbiased, and
  /// with a split.
  void set_feedback(std::shared_ptr<const Feedback> feedback);

  /// Write path for head_dim raw elements (bit-contract.md#write-1 to bit-contract.md#write-5);
  /// false if an element is not finite. Sets all of `result` but its codeword; with feedback
  /// thresholds, reconstructions and path cost stay empty. A reused result allocates nothing.
  bool write(const std::uint16_t* key, KeyResult* result);
  /// The same for `count` keys one after the other; status of a result tells whether its key was
  /// finite. Faster with feedback.
  void write(const std::uint16_t* keys, std::size_t count, KeyResult* results);

  /// The records of `count` finite keys, one after the other.
  std::vector<std::uint8_t> records(const std::uint16_t* keys, std::size_t count);

  /// Rounds a query of head_dim raw elements (bit-contract.md#read-1); false if an element is not
  /// finite. Sets u, exponent and status of `result`. A reused result allocates nothing.
  bool round(const std::uint16_t* query, QueryResult* result);

  /// Scores `count` consecutive records (bit-contract.md#read-3, bit-contract.md#read-4); any
  /// record bytes are legal. scores: count results; acc: count exact sums, or null; second_acc: the
  /// same of the second part of a record. Returns the number of scores clamped to +-FLT_MAX.
  std::size_t score(const QueryResult& query, const std::uint8_t* records, std::size_t count,
                    float* scores, std::int64_t* acc = nullptr,
                    std::int64_t* second_acc = nullptr) const;

  /// Scores one copy (bit-contract.md#exact). acc: its exact sum.
  float score(const QueryResult& query, const KeyCopy& copy, std::int64_t* acc,
              bool* saturated) const;

  const Parameters& parameters() const { return parameters_; }
  const CodebookRom& rom() const { return *rom_; }

 private:
  /// A vector that is quantized by itself: a key, or a sub-vector of it.
  struct Part {
    Parameters parameters;
    const CodebookRom* rom;
    std::size_t first;  ///< of its rotated elements
    VectorResult* (*result)(KeyResult*);
  };

  bool align_key(const std::uint16_t* key, std::int32_t* m, int* e) const;
  void order_channels(std::int32_t* m);
  bool rotate(const std::uint16_t* key, std::int32_t* y, std::uint64_t* square_sums,
              KeyResult* result);
  void quantize(const Part& part, const std::int32_t* y, VectorResult* result) const;
  void encode(const Part& part, const std::int32_t* y, VectorResult* result) const;
  void encode_with_feedback(std::size_t count, KeyResult* results);
  void finish(const std::int32_t* y, const std::uint64_t* square_sums, const float* levels,
              KeyResult* result);
  Norm norm_of(const Part& part, const std::int32_t* y, int exponent, std::uint64_t square_sum,
               const float* levels, VectorResult* result) const;
  void quantize_residual(const std::int32_t* y, KeyResult* result);
  void pack(KeyResult* result) const;
  std::array<ScorePart, 2> score_parts(const QueryResult& query) const;
  void copy_key(const std::int32_t* y, KeyResult* result);

  Parameters parameters_;
  std::shared_ptr<const CodebookRom> rom_;
  HeadRotation rotation_;
  std::vector<std::uint16_t> center_;
  std::vector<std::int8_t> key_powers_;  ///< of the elements of a key; if balanced
  const UnitTable* units_;
  std::vector<Part> parts_;
  std::vector<std::uint16_t> channels_;  ///< in the order of the rotated elements; with a split
  std::shared_ptr<const Feedback> feedback_;
  std::vector<double> levels_;   ///< of unit variance, ascending; only with feedback
  std::vector<std::int32_t> y_;  ///< vectors that are aligned and rotated
  // With feedback, one for each key of a call.
  std::vector<std::uint64_t> square_sums_;
  std::vector<float> scaled_levels_;  ///< times N
  std::vector<std::uint8_t> indices_;
  std::vector<std::int32_t> h_;  ///< elements of a copy, of a residual, or in another order
};

}  // namespace axelram
