// The read path of a Datapath.
#include <array>

#include "axelram/datapath.hpp"

namespace axelram {

bool Datapath::round(const std::uint16_t* query, QueryResult* result) {
  const Parameters& p = parameters_;
  int exponent = 0;
  const std::int8_t* const powers = p.balanced ? rotation_.balance.data() : nullptr;
  if (!units_->align(query, p.head_dim, p.element_format, p.significand_bits, y_.data(), &exponent,
                     powers)) {
    *result = {};
    result->status = QueryStatus::rejected_nonfinite;
    return false;
  }
  result->status = QueryStatus::scored;
  order_channels(y_.data());
  for (const Part& part : parts_)
    units_->rotate(&rotation_.signs[part.first], &y_[part.first], part.parameters.head_dim);
  result->u.resize(static_cast<std::size_t>(p.head_dim));
  result->exponent =
      exponent + units_->round_query(y_.data(), p.head_dim, p.query_bits, result->u.data());
  if (!p.prod()) return true;
  h_ = result->u;
  units_->rotate(rotation_.residual_signs.data(), h_.data(), p.head_dim);
  result->v.resize(result->u.size());
  result->residual_exponent =
      result->exponent + units_->round_query(h_.data(), p.head_dim, p.query_bits, result->v.data());
  return true;
}

/// Inputs of a query that score both parts of the records.
std::array<ScorePart, 2> Datapath::score_parts(const QueryResult& query) const {
  const Parameters& p = parameters_;
  if (p.prod()) {
    static constexpr std::int32_t kSigns[] = {1, -1};
    const int exponent = query.residual_exponent + p.log2_dim() / 2 - 16 - p.log2_dim();
    return {{{query.u.data(), query.exponent, p.head_dim, p.codebook_bits(), rom_->centroids.data(),
              0, 1},
             {query.v.data(), exponent, p.head_dim, 1, kSigns, 0, rom_->residual_scale}}};
  }
  const auto part = [&](const Part& of) {
    return ScorePart{query.u.data() + of.first,
                     query.exponent,
                     of.parameters.head_dim,
                     of.parameters.index_bits,
                     of.rom->centroids.data(),
                     p.trellis() ? p.states : 0,
                     1};
  };
  return {part(parts_[0]), part(parts_[1])};
}

std::size_t Datapath::score(const QueryResult& query, const std::uint8_t* records,
                            std::size_t count, float* scores, std::int64_t* acc,
                            std::int64_t* second_acc) const {
  if (parameters_.two_parts()) {
    const std::array<ScorePart, 2> parts = score_parts(query);
    return units_->score_parts(parts[0], parts[1], records, count, scores, acc, second_acc);
  }
  const ScoreQuery rounded{query.u.data(),         query.exponent,
                           parameters_.head_dim,   parameters_.index_bits,
                           rom_->centroids.data(), parameters_.trellis() ? parameters_.states : 0};
  return units_->score_keys(rounded, records, count, scores, acc);
}

float Datapath::score(const QueryResult& query, const KeyCopy& copy, std::int64_t* acc,
                      bool* saturated) const {
  *acc = units_->accumulate_copy(query.u.data(), copy.elements.data(), parameters_.head_dim);
  return score_copy_ref(*acc, query.exponent, copy.exponent, parameters_.centroid_bits, saturated);
}

}  // namespace axelram
