#include <algorithm>
#include <bit>

#include "axelram/norm.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/run/overloaded.hpp"
#include "axelram/trellis.hpp"
#include "verify/macro/rotated_key.hpp"
#include "verify/macro/scoreboard.hpp"

namespace axelram::sim {
namespace {

MacroCounters operator-(const MacroCounters& a, const MacroCounters& b) {
  MacroCounters difference;
  difference.keys_nonfinite = a.keys_nonfinite - b.keys_nonfinite;
  difference.keys_full = a.keys_full - b.keys_full;
  difference.queries_nonfinite = a.queries_nonfinite - b.queries_nonfinite;
  difference.norms_saturated = a.norms_saturated - b.norms_saturated;
  difference.scales_refused = a.scales_refused - b.scales_refused;
  difference.scores_saturated = a.scores_saturated - b.scores_saturated;
  return difference;
}

std::vector<std::vector<std::uint8_t>> memory_of(const KeyStore& store) {
  std::vector<std::vector<std::uint8_t>> memory;
  for (std::size_t t = 0; t < store.size(); ++t)
    memory.emplace_back(store.stored(t), store.stored(t) + store.stored_bytes());
  return memory;
}

/// The unbiased norm of a key lies half-way between two FP16 values.
bool is_norm_tie(const Parameters& p, const std::vector<std::int32_t>& y, int key_exponent,
                 const VectorResult& key) {
  if (p.scale != ScaleKind::unbiased || key.correlation == 0 || key.norm_saturated) return false;
  const std::uint64_t square_sum = square_sum_ref(y.data(), p.head_dim) >> p.log2_dim();
  const auto a = static_cast<std::uint64_t>(key.correlation);
  const std::uint64_t odd_a = a >> std::countr_zero(a);
  if (square_sum % odd_a != 0) return false;
  // norm = units * 2^exponent, units odd
  const std::uint64_t quotient = square_sum / odd_a;
  const std::uint64_t units = quotient >> std::countr_zero(quotient);
  const int exponent = std::countr_zero(quotient) - std::countr_zero(a) + p.log2_dim() +
                       p.centroid_bits - 2 + key_exponent;
  const int top = exponent + static_cast<int>(std::bit_width(units)) - 1;
  return exponent == std::max(top - 10, -24) - 1;
}

}  // namespace

Scoreboard::Scoreboard(const files::Config& config, RtlModel& model,
                       const std::vector<Command>& commands)
    : config_(config),
      model_(model),
      key_at_center_(before_balance(config, config.center, BalancedStream::keys)),
      schedule_(config.ecc.scrub_interval) {
  const auto capacity = static_cast<std::size_t>(config.max_keys);
  const Protection protection = files::protection(config.ecc);
  Macro macro(config.parameters, config.head_rotation, config.center, capacity, protection);
  const rtl::Layout layout(config);
  if (layout.code) coded_.emplace(config);
  reset_cycles_ = static_cast<std::uint64_t>(layout.reset_cycles);
  read_rows_ = static_cast<std::uint64_t>(layout.read_rows);
  MacroCounters cleared;
  bool quiet = true;         // no vector is processed
  bool events_known = true;  // the counters were cleared while no vector was processed
  segments_.emplace_back();
  const auto clear_counts = [&] {
    cleared = macro.counters();
    macro.store().clear_events();
  };
  for (const Command& command : commands) {
    Segment& segment = segments_.back();
    std::visit(
        run::Overloaded{
            [&](const command::Key& key) {
              expect_key(macro, segment, key.vector.data());
              quiet = false;
            },
            [&](const command::Query& query) {
              expect_query(macro, segment, query.vector.data());
              quiet = false;
            },
            [&](const command::Record& record) {
              expect_record(macro, segment, record.bytes.data());
              quiet = false;
            },
            [&](const command::KeyThenClear& key) {
              expect_key(macro, segment, key.vector.data());
              macro.clear();
              quiet = false;
            },
            [&](const command::Clear&) { macro.clear(); },
            [&](const command::ClearBeforeNext&) { macro.clear(); },
            [&](const command::Drain&) {
              segment.drained.push_back(
                  {memory_of(macro.store()), macro.counters() - cleared, std::nullopt});
              if (events_known) segment.drained.back().events = macro.store().events();
              quiet = true;
            },
            [&](const command::ClearErrors&) {
              clear_counts();
              events_known = quiet;
            },
            [&](const command::ClearErrorsAtRejection&) {
              clear_counts();
              --cleared.keys_nonfinite;  // an event in the cycle of the clear survives it
            },
            [&](const command::Inject& inject) { macro.store().inject(inject.mode, inject.mask); },
            [&](const command::Protect& protect) {
              macro.store().set_erasure(protect.erasure);
              macro.store().set_write_back(protect.write_back);
            },
            [&](const command::Reset&) {
              macro = Macro(config.parameters, config.head_rotation, config.center, capacity,
                            protection);
              cleared = {};
              segments_.emplace_back();
              quiet = events_known = true;
            },
            [](const command::Wait&) {}, [](const command::AwaitScrub&) {}},
        command);
  }
}

void Scoreboard::note_vector(const std::uint16_t* vector, bool query) {
  const Parameters& p = config_.parameters;
  const int largest = (1 << p.format_exponent_bits()) - 2;
  bool zero = true, subnormal = false, top = false, nan = false, infinite = false;
  for (int i = 0; i < p.head_dim; ++i) {
    const int field = (vector[i] & 0x7fff) >> p.format_fraction_bits();
    const int fraction = vector[i] & ((1 << p.format_fraction_bits()) - 1);
    zero = zero && field == 0 && fraction == 0;
    subnormal = subnormal || (field == 0 && fraction != 0);
    top = top || (field == largest && fraction == (1 << p.format_fraction_bits()) - 1);
    nan = nan || (field == largest + 1 && fraction != 0);
    infinite = infinite || (field == largest + 1 && fraction == 0);
  }
  NumericCorners& c = corners_;
  (query ? c.zero_query : c.zero_key) += zero;
  (query ? c.subnormal_query : c.subnormal_key) += subnormal;
  (query ? c.largest_query : c.largest_key) += top;
  (query ? c.nan_query : c.nan_key) += nan;
  (query ? c.infinity_query : c.infinity_key) += infinite;
  if (!query && !config_.center.empty())
    c.key_is_center += std::equal(key_at_center_.begin(), key_at_center_.end(), vector);
  if (p.balanced)
    note_balance(config_, vector, query ? BalancedStream::queries : BalancedStream::keys,
                 query ? &c.balanced_queries : &c.balanced_keys);
}

void Scoreboard::expect_key(Macro& macro, Segment& segment, const std::uint16_t* key) {
  note_vector(key, false);
  const KeyResult result = macro.write(key);
  if (result.status == KeyStatus::rejected_nonfinite) {
    ++segment.keys_rejected;
    return;
  }
  const bool stored = result.status == KeyStatus::stored;
  corners_.store_full += !stored;
  segment.addresses.push_back(stored ? static_cast<std::int64_t>(macro.size()) - 1 : -1);

  // The write path processes a key that the full store rejects like any other key.
  KeyResult shown = result;
  if (!stored) {
    Macro empty(config_.parameters, config_.head_rotation, config_.center, 1);
    shown = empty.write(key);
  }
  const Parameters& p = config_.parameters;
  const std::vector<std::vector<std::int32_t>> y = rotated_key(config_, key, nullptr);
  expect_vector(rtl::part_parameters(p, 0), y[0], shown.exponent, shown, segment);
  if (p.split()) {
    expect_vector(rtl::part_parameters(p, 1), y[1], shown.exponent, shown.second, segment);
    corners_.half_zero += (shown.norm == 0) != (shown.second.norm == 0);
    corners_.both_norms_saturated += shown.norm_saturated && shown.second.norm_saturated;
  }
  if (p.prod()) expect_residual(shown, y[0], segment);
  if (coded_) segment.records.push_back(shown.record);
  if (p.copies() != 0) segment.copies.push_back(shown.copy);
}

void Scoreboard::expect_vector(const Parameters& p, const std::vector<std::int32_t>& y,
                               int exponent, const VectorResult& vector, Segment& segment) {
  for (const std::int32_t threshold : vector.thresholds) {
    const bool tie = std::find(y.begin(), y.end(), threshold) != y.end();
    (threshold == 0 ? corners_.tie_at_zero : corners_.tie_elsewhere) += tie;
  }
  corners_.norm_saturated += vector.norm_saturated;
  corners_.norm_tie += is_norm_tie(p, y, exponent, vector);
  corners_.norm_zero += vector.norm == 0;
  corners_.norm_subnormal += vector.norm != 0 && vector.norm < 0x400;
  if (p.trellis()) {
    const TrellisCorners found = trellis_corners(
        y.data(), p.head_dim, vector.reconstructions.data(), p.index_bits, vector.root, p.states);
    corners_.levels_tie += found.levels_tie;
    corners_.cost_limited += found.cost_limited;
    corners_.paths_tie += found.paths_tie;
    corners_.best_tie += found.best_tie;
    segment.searched.push_back(vector);
    segment.found.push_back(vector);
  } else {
    segment.thresholds.push_back(vector);
  }
  segment.norms.push_back(vector);
  if (p.scale == ScaleKind::unbiased) segment.correlations.push_back(vector.correlation);
  segment.indices.push_back(vector);
}

void Scoreboard::expect_record(Macro& macro, Segment& segment, const std::uint8_t* record) {
  const KeyResult result = macro.write_record(record);
  const bool stored = result.status == KeyStatus::stored;
  ++(stored ? corners_.record_stored : corners_.record_rejected);
  segment.addresses.push_back(stored ? static_cast<std::int64_t>(macro.size()) - 1 : -1);
  if (coded_) segment.records.emplace_back(record, record + config_.parameters.record_bytes());
}

/// Corners of the copies that a query takes.
void Scoreboard::note_copies(const Macro& macro) {
  const Parameters& p = config_.parameters;
  const std::size_t tokens = macro.size();
  for (std::size_t t = 0; t < tokens; ++t) {
    if (!is_exact(t, tokens, p)) continue;
    const KeyCopy* const copy = macro.copies().find(t);
    corners_.place_without_copy += copy == nullptr;
    if (copy == nullptr) continue;
    ++(t < static_cast<std::size_t>(p.exact_first) ? corners_.first_copy : corners_.newest_copy);
    corners_.zero_copy += std::all_of(copy->elements.begin(), copy->elements.end(),
                                      [](std::int16_t h) { return h == 0; });
  }
  corners_.copy_dropped += p.exact_last > 0 && tokens > static_cast<std::size_t>(p.copies());
}

void Scoreboard::expect_query(Macro& macro, Segment& segment, const std::uint16_t* query) {
  note_vector(query, true);
  ++segment.queries;
  const QueryResult result = macro.query(query);
  if (result.status == QueryStatus::rejected_nonfinite) return;
  corners_.query_of_empty_store += macro.size() == 0;
  corners_.query_of_full_store += macro.size() == macro.max_keys();

  if (config_.parameters.copies() != 0) note_copies(macro);

  const std::int32_t most = (1 << (config_.parameters.query_bits - 1)) - 1;
  for (const std::int32_t u : result.u) {
    segment.query_elements.push_back(u);
    corners_.query_saturated += u == most || u == -most;
  }
  segment.query_exponents.push_back(result.exponent);
  segment.residual_query_elements.insert(segment.residual_query_elements.end(), result.v.begin(),
                                         result.v.end());
  if (config_.parameters.prod())
    segment.residual_query_exponents.push_back(result.residual_exponent);
  for (std::size_t t = 0; t < result.acc.size(); ++t) {
    segment.accumulators.push_back(result.acc[t]);
    if (config_.parameters.split()) segment.accumulators.push_back(result.second_acc[t]);
    if (config_.parameters.prod()) segment.residual_accumulators.push_back(result.second_acc[t]);
    const bool saturated = is_saturated(macro, result, t);
    const auto bits = std::bit_cast<std::uint32_t>(result.scores[t]);
    segment.scores.push_back({bits, t + 1 == result.acc.size(), saturated});
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    corners_.score_zero += magnitude == 0;
    corners_.score_subnormal += magnitude != 0 && magnitude < 0x800000U;
    corners_.score_saturated += saturated;
  }
}

}  // namespace axelram::sim
