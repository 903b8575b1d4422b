#include "axelram/faults/trial.hpp"

#include <algorithm>
#include <bit>

namespace axelram::faults {
namespace {

void add(Histogram* histogram, std::uint64_t count) {
  ++(*histogram)[std::min<std::uint64_t>(count, CountDistribution::kMaxCount)];
}

void add(TrialResult::Policy* policy, const RecordCounts& counts) {
  policy->wrong_indices += counts.wrong_indices;
  policy->wrong_indices_squared += counts.wrong_indices * counts.wrong_indices;
  policy->damaged_records += counts.wrong_indices != 0;
  policy->wrong_norms += counts.wrong_norms;
  policy->wrong_norms_squared += counts.wrong_norms * counts.wrong_norms;
}

std::vector<std::uint8_t> difference(const std::uint8_t* a, const std::uint8_t* b,
                                     std::size_t bytes) {
  std::vector<std::uint8_t> result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<std::uint8_t>(a[i] ^ b[i]);
  return result;
}

}  // namespace

void Totals::add(std::uint64_t trial, const TrialResult& result,
                 const std::vector<ErasurePolicy>& of) {
  ++trials;
  sum.injected += result.injected;
  for (std::size_t o = 0; o < kOutcomes; ++o) {
    sum.words[o] += result.words[o];
    for (std::size_t i = 0; i < result.records[o].size(); ++i)
      sum.records[o][i] += result.records[o][i];
  }
  for (std::size_t i = 0; i < result.index_records.size(); ++i)
    sum.index_records[i] += result.index_records[i];
  for (const ErasurePolicy policy : of) {
    const auto p = static_cast<std::size_t>(policy);
    const TrialResult::Policy& from = result.policies[p];
    sum.policies[p].wrong_indices += from.wrong_indices;
    sum.policies[p].wrong_indices_squared += from.wrong_indices_squared;
    sum.policies[p].damaged_records += from.damaged_records;
    sum.policies[p].wrong_norms += from.wrong_norms;
    sum.policies[p].wrong_norms_squared += from.wrong_norms_squared;
    if (!result.scored) continue;
    score_rms[p].push_back(from.score_rms);
    score_max[p].push_back(from.score_max);
    if (from.score_rms > worst[p].rms) worst[p] = {from.score_rms, trial};
  }
  if (result.has_miscorrection && !miscorrected_trial) {
    miscorrected_trial = trial;
    sum.first_miscorrection = result.first_miscorrection;
  }
  engine_differed += result.engine_differs;
}

TrialRunner::TrialRunner(const TrialPlan& plan)
    : plan_(plan),
      workload_(*plan.workload),
      code_(workload_.code()),
      masks_(workload_.stored().size()),
      hit_(workload_.tokens()),
      erased_(workload_.tokens()),
      data_(workload_.tokens() * code_.data_bytes()),
      statuses_(workload_.tokens() * code_.status_bytes()),
      counts_(workload_.tokens()) {}

const std::vector<std::uint8_t>& TrialRunner::draw(std::uint32_t trial) {
  for (std::size_t t = 0; t < workload_.tokens(); ++t)
    hit_[t] = plan_.source->draw(static_cast<std::uint32_t>(t), trial, workload_.stored(t),
                                 &masks_[t * code_.stored_bytes()]);
  return masks_;
}

TrialResult TrialRunner::run(std::uint32_t trial, bool scored) {
  TrialResult result;
  draw(trial);
  decode(&result);
  for (const ErasurePolicy policy : plan_.policies) count_policy(policy, &result);
  result.scored = scored && workload_.scorable();
  if (scored)  // also if not scorable: the engine is checked
    for (const ErasurePolicy policy : plan_.policies) score(policy, &result);
  return result;
}

void TrialRunner::decode(TrialResult* result) {
  std::vector<std::uint8_t> received(code_.stored_bytes());
  for (std::size_t t = 0; t < workload_.tokens(); ++t) {
    const std::uint8_t* const mask = &masks_[t * code_.stored_bytes()];
    const std::uint8_t* const stored = workload_.stored(t);
    std::uint8_t* const data = &data_[t * code_.data_bytes()];
    std::uint8_t* const statuses = &statuses_[t * code_.status_bytes()];
    DecodeCounts counts;
    if (hit_[t]) {
      for (std::size_t i = 0; i < received.size(); ++i) {
        received[i] = static_cast<std::uint8_t>(stored[i] ^ mask[i]);
        result->injected += static_cast<std::uint64_t>(std::popcount(mask[i]));
      }
      counts = plan_.decode ? plan_.decode(code_, received.data(), data, statuses)
                            : code_.decode(received.data(), data, statuses);
    } else {  // unchanged since the workload was read
      std::copy_n(workload_.data(t), code_.data_bytes(), data);
      std::fill_n(statuses, code_.status_bytes(), std::uint8_t{0});
      counts.clean = code_.words();
    }
    erased_[t] = counts.detected != 0;
    count(t, counts, result);
  }
}

void TrialRunner::count(std::size_t token, const DecodeCounts& decoded, TrialResult* result) {
  RecordCounts& counts = counts_[token];
  counts = {};
  counts.words[kClean] = decoded.clean;
  if (hit_[token]) {
    const std::uint8_t* const data = &data_[token * code_.data_bytes()];
    const std::uint8_t* const statuses = &statuses_[token * code_.status_bytes()];
    const auto wrong = difference(data, workload_.data(token), code_.data_bytes());
    count_words(code_, decoded, statuses, wrong.data(), &counts);
    count_elements(code_, wrong.data(), &counts);
    if (counts.words[kMiscorrected] != 0 && !result->has_miscorrection) {
      const auto k = static_cast<std::size_t>(code_.code().k);
      std::size_t bit = 0;
      while (!get_bit(wrong.data(), bit) || status_at(statuses, bit / k) == WordStatus::detected)
        ++bit;
      result->has_miscorrection = true;
      result->first_miscorrection = {static_cast<std::uint32_t>(token),
                                     static_cast<std::uint32_t>(bit / k)};
    }
  }
  for (std::size_t o = 0; o < kOutcomes; ++o) {
    result->words[o] += counts.words[o];
    add(&result->records[o], o == kClean ? code_.words() - counts.words[o] : counts.words[o]);
  }
  add(&result->index_records, counts.wrong_indices);
}

void TrialRunner::repair(ErasurePolicy policy, std::size_t token, std::uint8_t* record) const {
  const auto row = [&](std::size_t t) -> DecodedRecord {
    if (t >= workload_.tokens()) return {};  // token 0 has none before it: t wraps around
    return {&data_[t * code_.data_bytes()], &statuses_[t * code_.status_bytes()]};
  };
  repair_record_ref(code_.code(), policy, code_.fields(), row(token - 1), row(token),
                    row(token + 1), record);
}

void TrialRunner::count_policy(ErasurePolicy policy, TrialResult* result) {
  TrialResult::Policy& sum = result->policies[static_cast<std::size_t>(policy)];
  std::vector<std::uint8_t> record(code_.record_bytes());
  for (std::size_t t = 0; t < workload_.tokens(); ++t) {
    if (!erased_[t] || policy == ErasurePolicy::keep) {
      if (hit_[t]) add(&sum, counts_[t]);
      continue;
    }
    repair(policy, t, record.data());
    RecordCounts counts;
    count_elements(code_, difference(record.data(), workload_.data(t), record.size()).data(),
                   &counts);
    add(&sum, counts);
  }
}

void TrialRunner::score(ErasurePolicy policy, TrialResult* result) {
  if (!engine_) engine_ = plan_.engine(code_.name());
  const FaultOutcome outcome = engine_->read(masks_, policy);
  const Workload::ScoreError error = workload_.score_error(outcome.scores);
  TrialResult::Policy& sum = result->policies[static_cast<std::size_t>(policy)];
  sum.score_rms = error.rms;
  sum.score_max = error.max;
  if (differs(outcome, policy)) result->engine_differs = true;
  if (!plan_.checker) return;
  if (!checker_) checker_ = plan_.checker(code_.name());
  if (checker_->read(masks_, policy).scores != outcome.scores) result->engine_differs = true;
}

bool TrialRunner::differs(const FaultOutcome& outcome, ErasurePolicy policy) const {
  if (code_.coded() && outcome.statuses != statuses_) return true;
  const std::size_t bytes = code_.record_bytes();
  if (outcome.decoded.size() != workload_.tokens() * bytes ||
      outcome.repaired.size() != outcome.decoded.size())
    return true;
  std::vector<std::uint8_t> record(bytes);
  for (std::size_t t = 0; t < workload_.tokens(); ++t) {
    const std::uint8_t* const data = &data_[t * code_.data_bytes()];
    if (!std::equal(data, data + bytes, &outcome.decoded[t * bytes])) return true;
    repair(policy, t, record.data());
    if (!std::equal(record.begin(), record.end(), &outcome.repaired[t * bytes])) return true;
  }
  return false;
}

}  // namespace axelram::faults
