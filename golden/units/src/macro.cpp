#include "axelram/macro.hpp"

#include <utility>

namespace axelram {

// codebook_rom checks the parameters first.
Macro::Macro(const Parameters& parameters, HeadRotation rotation, std::vector<std::uint16_t> center,
             std::size_t max_keys, const Protection& protection, const UnitTable& units)
    : path_(parameters, std::make_shared<const CodebookRom>(codebook_rom(parameters)),
            std::move(rotation), std::move(center), units),
      store_(parameters, max_keys, protection, units),
      copies_(parameters) {}

KeyResult Macro::write(const std::uint16_t* key) {
  KeyResult result;
  if (!path_.write(key, &result)) {
    ++counters_.keys_nonfinite;
    return result;
  }
  if (!keep(&result)) return result;
  copies_.write(&result.copy);
  counters_.norms_saturated +=
      (result.norm_saturated ? 1 : 0) + (result.second.norm_saturated ? 1 : 0);
  counters_.scales_refused +=
      (result.scale_refused ? 1 : 0) + (result.second.scale_refused ? 1 : 0);
  return result;
}

KeyResult Macro::write_record(const std::uint8_t* record) {
  KeyResult result;
  result.record.assign(record, record + parameters().record_bytes());
  if (keep(&result)) copies_.write(nullptr);
  return result;
}

/// Stores the record of `result` and sets its codeword. False if the macro is full: the result is
/// that of a rejected key then.
bool Macro::keep(KeyResult* result) {
  if (!store_.write(result->record.data())) {
    ++counters_.keys_full;
    *result = {};
    result->status = KeyStatus::rejected_full;
    return false;
  }
  if (store_.code() != nullptr) {
    const std::uint8_t* const stored = store_.stored(store_.size() - 1);
    result->codeword.assign(stored, stored + store_.stored_bytes());
  }
  return true;
}

QueryResult Macro::query(const std::uint16_t* query) {
  QueryResult result;
  if (!path_.round(query, &result)) {
    ++counters_.queries_nonfinite;
    return result;
  }
  result.acc.resize(store_.size());
  if (parameters().two_parts()) result.second_acc.resize(store_.size());
  result.scores.resize(store_.size());
  if (parameters().copies() != 0) result.exact.resize(store_.size());
  score(&result);
  counters_.scores_saturated += static_cast<std::uint64_t>(result.saturated);
  return result;
}

void Macro::score(QueryResult* result) {
  const std::uint8_t* const records = store_.read();
  const auto record_bytes = static_cast<std::size_t>(parameters().record_bytes());
  const std::size_t keys = store_.size();
  for (std::size_t key = 0; key < keys;) {
    if (const KeyCopy* const copy = copies_.find(key)) {
      bool saturated = false;
      result->exact[key] = 1;
      result->scores[key] = path_.score(*result, *copy, &result->acc[key], &saturated);
      result->saturated += saturated ? 1 : 0;
      ++key;
      continue;
    }
    std::size_t end = key + 1;
    while (end < keys && copies_.find(end) == nullptr) ++end;
    std::int64_t* const second_acc =
        result->second_acc.empty() ? nullptr : &result->second_acc[key];
    result->saturated +=
        static_cast<int>(path_.score(*result, records + key * record_bytes, end - key,
                                     &result->scores[key], &result->acc[key], second_acc));
    key = end;
  }
}

void Macro::clear() {
  store_.clear();
  copies_.clear();
}

}  // namespace axelram
