#include <algorithm>
#include <cstdlib>

#include "axelram/codebook.hpp"
#include "axelram/hadamard.hpp"
#include "axelram/half.hpp"
#include "axelram/residual.hpp"
#include "verify/macro/scoreboard.hpp"

// Residuals (bit-contract.md#residual), and scores of records of two parts.

namespace axelram::sim {

void Scoreboard::expect_residual(const KeyResult& key, const std::vector<std::int32_t>& y,
                                 Segment& segment) {
  const Parameters& p = config_.parameters;
  segment.searched.push_back(key);
  segment.shifts.push_back(key.residual);
  segment.signs.push_back(key.residual);
  segment.residual_norms.push_back(key.residual);

  std::vector<std::int32_t> rho(y.size());
  residual_ref(y.data(), key.indices.data(), p.head_dim, key.reconstructions.data(), p.levels(),
               p.aligned_bits(), rho.data());
  const std::int32_t most = (1 << (p.aligned_bits() - 1)) - 1;
  const bool zero = std::all_of(rho.begin(), rho.end(), [](std::int32_t r) { return r == 0; });
  corners_.residual_zero += zero;
  corners_.rho_saturated += key.residual.shift > 0 &&
                            std::any_of(rho.begin(), rho.end(),
                                        [most](std::int32_t r) { return r == most || r == -most; });
  rotate_ref(config_.head_rotation.residual_signs.data(), rho.data(), p.head_dim);
  corners_.z_zero += !zero && std::find(rho.begin(), rho.end(), 0) != rho.end();
  corners_.both_norms_saturated += key.norm == kHalfMax && key.residual.norm == kHalfMax;
}

/// Whether the score of token t was clamped.
bool Scoreboard::is_saturated(const Macro& macro, const QueryResult& result, std::size_t t) {
  const Parameters& p = config_.parameters;
  bool saturated = false;
  const std::uint8_t* const end =
      macro.store().last_read() + (t + 1) * static_cast<std::size_t>(p.record_bytes());
  const auto norm = [end](int back) {
    return static_cast<std::uint16_t>(end[-back] | end[1 - back] << 8);
  };
  if (p.two_parts()) {
    const int offset = p.log2_dim() / 2 - 16 - p.log2_dim();
    const ScoreTerm first = {result.acc[t], norm(4), 1, result.exponent};
    const ScoreTerm second =
        p.split() ? ScoreTerm{result.second_acc[t], norm(2), 1, result.exponent}
                  : ScoreTerm{result.second_acc[t], norm(2), macro.rom().residual_scale,
                              result.residual_exponent + offset};
    score_sum_ref(first, second, &saturated);
    note_terms(first, second);
  } else if (const KeyCopy* const copy = macro.copies().find(t)) {
    score_copy_ref(result.acc[t], result.exponent, copy->exponent, p.centroid_bits, &saturated);
  } else {
    score_ref(result.acc[t], norm(2), result.exponent, &saturated);
  }
  return saturated;
}

/// Corners of the terms of a score.
void Scoreboard::note_terms(const ScoreTerm& first, const ScoreTerm& second) {
  const NormValue a = decode_norm(first.norm), b = decode_norm(second.norm);
  if (first.acc * a.significand == 0 || second.acc * b.significand == 0) return;
  const int apart = first.exponent + a.exponent - second.exponent - b.exponent;
  corners_.terms_far_apart += std::abs(apart) >= 24;
}

void Scoreboard::on_residual_shift(int shift) {
  compare("residual_shifts", "shift", next(segments_.front().shifts, "residual_shifts").shift,
          shift);
}

void Scoreboard::on_residual_signs(const std::uint8_t* values, int count) {
  Segment& segment = segments_.front();
  if (segment.signs.empty()) throw MismatchError("residual_signs", "a row that is not expected");
  const std::vector<std::uint8_t>& signs = segment.signs.front().signs;
  for (int i = 0; i < count; ++i, ++sign_position_)
    compare("residual_signs", "element " + std::to_string(sign_position_), signs[sign_position_],
            values[i]);
  if (sign_position_ < signs.size()) return;
  segment.signs.pop_front();
  sign_position_ = 0;
}

void Scoreboard::on_residual_norm(std::uint16_t norm) {
  compare("residual_norms", "norm", next(segments_.front().residual_norms, "residual_norms").norm,
          norm);
}

void Scoreboard::on_residual_query_row(const std::int32_t* values, int count, int exponent) {
  Segment& segment = segments_.front();
  compare_query_row("residual_queries", "residual_query_exponents", values, count, exponent,
                    segment.residual_query_elements, segment.residual_query_exponents,
                    &residual_query_element_);
}

void Scoreboard::on_residual_accumulator(std::int64_t acc) {
  compare("residual_accumulators", "accumulator",
          next(segments_.front().residual_accumulators, "residual_accumulators"), acc);
}

}  // namespace axelram::sim
