#include "axelram/macro.hpp"

#include <utility>

#include "score_tokens.hpp"

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
  score_tokens(
      path_, store_.read(), store_.size(), [&](std::size_t token) { return copies_.find(token); },
      &result);
  counters_.scores_saturated += static_cast<std::uint64_t>(result.saturated);
  return result;
}

void Macro::clear() {
  store_.clear();
  copies_.clear();
}

}  // namespace axelram
