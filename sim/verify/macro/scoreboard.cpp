#include "verify/macro/scoreboard.hpp"

#include <algorithm>
#include <bit>

#include "axelram/score.hpp"

namespace axelram::sim {

void Scoreboard::compare(const char* tensor, const std::string& where, std::int64_t expected,
                         std::int64_t seen) {
  ++compared_;
  if (expected != seen)
    throw MismatchError(tensor, where + ": expected " + std::to_string(expected) +
                                    ", the RTL has " + std::to_string(seen));
}

void Scoreboard::compare_bytes(const char* tensor, const std::string& where,
                               const std::vector<std::uint8_t>& expected,
                               const std::uint8_t* seen) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    compare(tensor, where + ", byte " + std::to_string(i), expected[i], seen[i]);
}

void Scoreboard::compare_memory(const Drained& drained) {
  for (std::size_t t = 0; t < drained.memory.size(); ++t) {
    const std::vector<std::uint8_t> seen =
        model_.stored(static_cast<unsigned>(t), drained.memory[t].size());
    const std::string where = "key " + std::to_string(t);
    if (coded_) compare_bytes("codewords", where, coded_->stored(t), seen.data());
    // With a scrubber the golden macro does not know when scrubs change the memory. coded_ does.
    if (config_.ecc.scrub_interval == 0)
      compare_bytes(coded_ ? "codewords" : "records", where, drained.memory[t], seen.data());
  }
}

void Scoreboard::on_thresholds(const std::int32_t* values, int count) {
  const VectorResult vector = next(segments_.front().thresholds, "thresholds");
  compare("thresholds", "number", static_cast<std::int64_t>(vector.thresholds.size()), count);
  for (std::size_t j = 0; j < vector.thresholds.size(); ++j)
    compare("thresholds", "threshold " + std::to_string(j), vector.thresholds[j], values[j]);
}

void Scoreboard::on_reconstructions(const std::int32_t* upper, int count) {
  const VectorResult vector = next(segments_.front().searched, "reconstructions");
  const std::size_t half = vector.reconstructions.size() / 2;
  compare("reconstructions", "number", static_cast<std::int64_t>(half), count);
  for (std::size_t j = 0; j < half; ++j) {
    const std::string level = std::to_string(half + j), mirrored = std::to_string(half - 1 - j);
    compare("reconstructions", "level " + level, vector.reconstructions[half + j], upper[j]);
    compare("reconstructions", "level " + mirrored, vector.reconstructions[half - 1 - j],
            -upper[j]);
  }
}

void Scoreboard::on_path_cost(std::uint32_t cost) {
  compare("path_costs", "cost", next(segments_.front().found, "path_costs").path_cost, cost);
}

void Scoreboard::on_levels(const std::uint8_t* values, int count) {
  Segment& segment = segments_.front();
  if (segment.indices.empty()) throw MismatchError("levels", "a key that is not expected");
  const std::vector<std::uint8_t>& levels = segment.indices.front().levels;
  compare("levels", "number", static_cast<std::int64_t>(levels.size()), count);
  for (std::size_t i = 0; i < levels.size(); ++i)
    compare("levels", "element " + std::to_string(i), levels[i], values[i]);
}

void Scoreboard::on_norm(std::uint16_t norm) {
  compare("norms", "norm", next(segments_.front().norms, "norms").norm, norm);
}

void Scoreboard::on_correlation(std::int64_t correlation) {
  compare("correlations", "correlation", next(segments_.front().correlations, "correlations"),
          correlation);
}

void Scoreboard::on_copy_row(const std::int32_t* values, int count, int exponent) {
  Segment& segment = segments_.front();
  if (segment.copies.empty()) throw MismatchError("exact_keys", "a row that is not expected");
  const KeyCopy& copy = segment.copies.front();
  compare("exact_exponents", "exponent", copy.exponent, exponent);
  for (int i = 0; i < count; ++i) {
    const std::size_t at = copy_position_ + static_cast<std::size_t>(i);
    compare("exact_keys", "element " + std::to_string(at), copy.elements[at], values[i]);
  }
  copy_position_ += static_cast<std::uint64_t>(count);
  if (copy_position_ == copy.elements.size()) {
    segment.copies.pop_front();
    copy_position_ = 0;
  }
}

void Scoreboard::on_indices(const std::uint8_t* values, int count) {
  Segment& segment = segments_.front();
  if (segment.indices.empty()) throw MismatchError("indices", "a row that is not expected");
  const VectorResult& key = segment.indices.front();
  for (int i = 0; i < count; ++i) {
    const std::size_t at = index_position_ + static_cast<std::size_t>(i);
    compare("indices", "element " + std::to_string(at), key.indices[at], values[i]);
  }
  index_position_ += static_cast<std::uint64_t>(count);
  if (index_position_ == key.indices.size()) {
    segment.indices.pop_front();
    index_position_ = 0;
  }
}

void Scoreboard::on_record_stored(unsigned address) {
  compare("store", "address of a record (-1: rejected)", next(segments_.front().addresses, "store"),
          address);
  if (!coded_) return;
  coded_->store(address, *record_, driver_->cycle());
  memory_cycle_.stored = true;
}

void Scoreboard::on_record_rejected() {
  compare("store", "address of a record (-1: rejected)", next(segments_.front().addresses, "store"),
          -1);
}

void Scoreboard::on_key_rejected() {
  Segment& segment = segments_.front();
  if (segment.keys_rejected == 0) throw MismatchError("errors", "a finite key is rejected");
  --segment.keys_rejected;
}

void Scoreboard::compare_query_row(const char* tensor, const char* exponents,
                                   const std::int32_t* values, int count, int exponent,
                                   std::deque<std::int32_t>& elements, std::deque<int>& expected,
                                   std::uint64_t* position) {
  const auto d = static_cast<std::uint64_t>(config_.parameters.head_dim);
  for (int i = 0; i < count; ++i)
    compare(tensor, "element " + std::to_string((*position)++ % d), next(elements, tensor),
            values[i]);
  if (*position % d == 0) compare(exponents, "exponent", next(expected, exponents), exponent);
}

void Scoreboard::on_query_row(const std::int32_t* values, int count, int exponent) {
  Segment& segment = segments_.front();
  compare_query_row("rotated_queries", "query_exponents", values, count, exponent,
                    segment.query_elements, segment.query_exponents, &query_element_);
}

void Scoreboard::on_accumulator(std::int64_t acc) {
  compare("accumulators", "accumulator", next(segments_.front().accumulators, "accumulators"), acc);
}

void Scoreboard::on_score(std::uint32_t bits, bool last, bool saturated) {
  const Score score = next(segments_.front().scores, "scores");
  compare("scores", "score (FP32 bits)", score.bits, bits);
  compare("scores", "flag: last key", score.last, last);
  compare("scores", "flag: saturated", score.saturated, saturated);
}

void Scoreboard::on_query_done() {
  Segment& segment = segments_.front();
  if (segment.queries == 0) throw MismatchError("protocol", "query_done_o without a query");
  --segment.queries;
}

void Scoreboard::on_reset() {
  segments_.pop_front();
  index_position_ = copy_position_ = query_element_ = 0;
  sign_position_ = residual_query_element_ = 0;
  if (coded_) coded_->reset();
  record_.reset();
  memory_cycle_ = {};
  watch(driver_);
}

void Scoreboard::on_drained() {
  const Drained drained = next(segments_.front().drained, "store");
  compare("store", "key count", static_cast<std::int64_t>(drained.memory.size()),
          driver_->key_count());
  compare_memory(drained);
  if (coded_) compare_events(coded_->events(driver_->cycle()));
  if (coded_ && config_.ecc.scrub_interval == 0 && drained.events) compare_events(*drained.events);
  const MacroCounters& c = drained.counters;
  std::vector<std::uint64_t> expected = {c.keys_nonfinite, c.queries_nonfinite, c.keys_full,
                                         c.norms_saturated, c.scores_saturated};
  const Parameters& p = config_.parameters;
  if (p.trellis() && p.scale == ScaleKind::unbiased) expected.push_back(c.scales_refused);
  for (int event = 0; event < static_cast<int>(expected.size()); ++event) {
    const auto count = static_cast<std::int64_t>(expected[static_cast<std::size_t>(event)]);
    compare("errors", "counter " + std::to_string(event), count, driver_->error_count(event));
    compare("errors", "sticky flag " + std::to_string(event), count != 0,
            (driver_->errors() >> event) & 1);
  }
}

void Scoreboard::watch(const Driver* driver) {
  driver_ = driver;
  started_ = driver->cycle();
  schedule_.reset(started_);
}

void Scoreboard::finish() {
  if (segments_.size() != 1) throw std::logic_error("a reset was not carried out");
  const Segment& s = segments_.front();
  const auto none = [](const char* tensor, std::size_t left) {
    if (left != 0)
      throw MismatchError(tensor, std::to_string(left) + " expected and not output by the RTL");
  };
  none("thresholds", s.thresholds.size());
  none("reconstructions", s.searched.size());
  none("path_costs", s.found.size());
  none("norms", s.norms.size());
  none("residual_shifts", s.shifts.size());
  none("residual_signs", s.signs.size());
  none("residual_norms", s.residual_norms.size());
  none("residual_queries", s.residual_query_elements.size());
  none("residual_accumulators", s.residual_accumulators.size());
  none("correlations", s.correlations.size());
  none("exact_keys", s.copies.size());
  none("indices", s.indices.size());
  none("store", s.addresses.size());
  none("records", s.records.size());
  none("errors", s.keys_rejected);
  none("protocol", s.queries);
  none("rotated_queries", s.query_elements.size());
  none("accumulators", s.accumulators.size());
  none("scores", s.scores.size());
}

}  // namespace axelram::sim
