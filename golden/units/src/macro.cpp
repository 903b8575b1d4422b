#include "axelram/macro.hpp"

#include <utility>

namespace axelram {

// codebook_rom checks the parameters first.
Macro::Macro(const Parameters& parameters, std::vector<std::int8_t> signs,
             std::vector<std::uint16_t> center, std::size_t max_keys, const Protection& protection,
             const UnitTable& units)
    : path_(parameters, std::make_shared<const CodebookRom>(codebook_rom(parameters)),
            std::move(signs), std::move(center), units),
      store_(parameters, max_keys, protection, units) {}

KeyResult Macro::write(const std::uint16_t* key) {
  KeyResult result;
  if (!path_.write(key, &result)) {
    ++counters_.keys_nonfinite;
    return result;
  }
  if (!store_.write(result.record.data())) {
    ++counters_.keys_full;
    result = {};
    result.status = KeyStatus::rejected_full;
    return result;
  }
  counters_.norms_saturated += result.norm_saturated ? 1 : 0;
  if (store_.code() != nullptr) {
    const std::uint8_t* const stored = store_.stored(store_.size() - 1);
    result.codeword.assign(stored, stored + store_.stored_bytes());
  }
  return result;
}

QueryResult Macro::query(const std::uint16_t* query) {
  QueryResult result;
  if (!path_.round(query, &result)) {
    ++counters_.queries_nonfinite;
    return result;
  }
  const std::size_t keys = store_.size();
  result.acc.resize(keys);
  result.scores.resize(keys);
  result.saturated = static_cast<int>(
      path_.score(result, store_.read(), keys, result.scores.data(), result.acc.data()));
  counters_.scores_saturated += static_cast<std::uint64_t>(result.saturated);
  return result;
}

void Macro::clear() { store_.clear(); }

}  // namespace axelram
