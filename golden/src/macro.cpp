#include "axelram/macro.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "axelram/half.hpp"
#include "axelram/query_rounding.hpp"
#include "unit_table.hpp"

namespace axelram {
namespace {

void check_signs(const std::vector<std::int8_t>& signs, const Parameters& parameters) {
  if (signs.size() != static_cast<std::size_t>(parameters.head_dim))
    throw std::invalid_argument("signs: head_dim values are needed");
  for (const std::int8_t sign : signs)
    if (sign != 1 && sign != -1) throw std::invalid_argument("signs: values are +1 or -1");
}

void check_center(const std::vector<std::uint16_t>& center, const Parameters& parameters) {
  const int size = parameters.centered ? parameters.head_dim : 0;
  if (center.size() != static_cast<std::size_t>(size))
    throw std::invalid_argument("center: head_dim values are needed if centered, none otherwise");
  for (const std::uint16_t element : center)
    if (!is_finite(element, parameters.element_format))
      throw std::invalid_argument("center: values must be finite");
}

}  // namespace

Macro::Macro(const Parameters& parameters, std::vector<std::int8_t> signs,
             std::vector<std::uint16_t> center, std::size_t max_keys, const Protection& protection,
             Units units)
    : parameters_(parameters),
      rom_(codebook_rom(parameters)),
      signs_(std::move(signs)),
      center_(std::move(center)),
      store_(parameters, max_keys, protection, units),
      units_(&unit_table(units)) {
  check_signs(signs_, parameters_);
  check_center(center_, parameters_);
}

bool Macro::align_key(const std::uint16_t* key, std::int32_t* m, int* e) const {
  const Parameters& p = parameters_;
  if (!p.centered)
    return units_->align(key, p.head_dim, p.element_format, p.significand_bits, m, e);
  return units_->center(key, center_.data(), p.head_dim, p.element_format, p.significand_bits, m,
                        e);
}

KeyResult Macro::write(const std::uint16_t* key) {
  const Parameters& p = parameters_;
  KeyResult result;
  std::vector<std::int32_t> y(static_cast<std::size_t>(p.head_dim));
  int exponent = 0;
  if (!align_key(key, y.data(), &exponent)) {
    ++counters_.keys_nonfinite;
    result.status = KeyStatus::refused_nonfinite;
    return result;
  }
  if (store_.size() == store_.max_keys()) {
    ++counters_.keys_full;
    result.status = KeyStatus::refused_full;
    return result;
  }

  result.exponent = exponent;
  result.root = units_->root(units_->square_sum(y.data(), p.head_dim));
  const Norm norm = units_->norm(result.root, exponent);
  result.norm = norm.half;
  result.norm_saturated = norm.saturated;
  counters_.norms_saturated += norm.saturated ? 1 : 0;

  units_->rotate(signs_.data(), y.data(), p.head_dim);
  result.thresholds.resize(rom_.boundaries.size());
  thresholds_ref(rom_.boundaries.data(), p.boundaries(), result.root, p.boundary_fraction_bits,
                 result.thresholds.data());
  result.indices.resize(static_cast<std::size_t>(p.head_dim));
  units_->quantize(y.data(), p.head_dim, result.thresholds.data(), p.boundaries(),
                   result.indices.data());

  result.record.resize(static_cast<std::size_t>(p.record_bytes()));
  units_->pack_record(result.indices.data(), result.norm, p.head_dim, p.index_bits,
                      result.record.data());
  store_.write(result.record.data());
  if (store_.code() != nullptr) {
    const std::uint8_t* const stored = store_.stored(store_.size() - 1);
    result.codeword.assign(stored, stored + store_.stored_bytes());
  }
  return result;
}

QueryResult Macro::query(const std::uint16_t* query) {
  const Parameters& p = parameters_;
  const auto d = static_cast<std::size_t>(p.head_dim);
  QueryResult result;
  std::vector<std::int32_t> y(d);
  int exponent = 0;
  if (!units_->align(query, p.head_dim, p.element_format, p.significand_bits, y.data(),
                     &exponent)) {
    ++counters_.queries_nonfinite;
    result.status = QueryStatus::refused_nonfinite;
    return result;
  }

  units_->rotate(signs_.data(), y.data(), p.head_dim);
  result.u.resize(d);
  result.exponent = exponent + round_query_ref(y.data(), p.head_dim, p.query_bits, result.u.data());

  const std::size_t keys = store_.size();
  result.acc.resize(keys);
  result.scores.resize(keys);
  const ScoreQuery rounded{result.u.data(), result.exponent, p.head_dim, p.index_bits,
                           rom_.centroids.data()};
  result.saturated = static_cast<int>(
      units_->score_keys(rounded, store_.read(), keys, result.scores.data(), result.acc.data()));
  counters_.scores_saturated += static_cast<std::uint64_t>(result.saturated);
  return result;
}

void Macro::clear() { store_.clear(); }

}  // namespace axelram
