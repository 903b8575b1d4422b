#pragma once

#include <cstdint>
#include <vector>

#include "axelram/interpolate.hpp"
#include "axelram/key_store.hpp"

namespace axelram::sim {

/// Receives what the macro outputs, as it happens. Cycles are counted from 0.
class Observer {
 public:
  virtual ~Observer() = default;
  // Values of a key. With a split they are called for sub-vector 0, then for sub-vector 1.
  virtual void on_thresholds(const std::int32_t*, int /*count*/) {}
  virtual void on_norm(std::uint16_t) {}
  virtual void on_correlation(std::int64_t) {}
  /// Rows of the copy of a key; only with exact tokens.
  virtual void on_copy_row(const std::int32_t*, int /*count*/, int /*exponent*/) {}
  virtual void on_indices(const std::uint8_t*, int /*count*/) {}
  /// With a trellis or residuals: R_j of the upper half of the levels.
  virtual void on_reconstructions(const std::int32_t*, int /*count*/) {}
  // Only with residuals: h, t_i and norm of the residual of a key; v_i and e_v of a query; acc2.
  virtual void on_residual_shift(int) {}
  virtual void on_residual_signs(const std::uint8_t*, int /*count*/) {}
  virtual void on_residual_norm(std::uint16_t) {}
  virtual void on_residual_query_row(const std::int32_t*, int /*count*/, int /*exponent*/) {}
  virtual void on_residual_accumulator(std::int64_t) {}
  // Only with a trellis: the cost of a path; all levels, in front of the indices of the same key.
  virtual void on_path_cost(std::uint32_t) {}
  virtual void on_levels(const std::uint8_t*, int /*count*/) {}
  /// Before on_record_stored or on_record_rejected; only with a code.
  virtual void on_record(const std::uint8_t*) {}
  virtual void on_record_stored(unsigned /*address*/) {}
  virtual void on_record_rejected() {}
  virtual void on_key_rejected() {}
  /// With a split all elements of a query at once, those of sub-vector 0 first.
  virtual void on_query_row(const std::int32_t*, int /*count*/, int /*exponent*/) {}
  /// Sum of a key. With a split: of sub-vector 0, then of sub-vector 1.
  virtual void on_accumulator(std::int64_t) {}
  virtual void on_score(std::uint32_t /*bits*/, bool /*last*/, bool /*saturated*/) {}
  virtual void on_query_done() {}
  virtual void on_reset() {}
  // Only with a code.
  virtual void on_memory_read(bool /*scrub*/, unsigned /*address*/) {}
  /// A record leaves the decoder, in the order of reads; statuses have two bits per word.
  virtual void on_decoded(bool /*scrub*/, const std::uint8_t* /*record*/,
                          const std::uint8_t* /*statuses*/) {}
  /// The record decoded last is written back.
  virtual void on_write_back() {}
  /// A repaired record is looked up.
  virtual void on_lookup(const std::uint8_t* /*record*/) {}
  /// All events of this cycle have been reported.
  virtual void on_cycle_end() {}
  virtual void on_inject(Injection, const std::vector<std::uint8_t>& /*mask*/) {}
  virtual void on_protection(ErasurePolicy, bool /*write_back*/) {}
  virtual void on_drained() {}
  virtual void on_errors_clear() {}
};

}  // namespace axelram::sim
