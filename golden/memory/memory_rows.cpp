#include "axelram/memory_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "axelram/blend.hpp"
#include "axelram/half.hpp"

namespace axelram {
namespace {

std::size_t dim(const MemoryRecords& records) {
  return static_cast<std::size_t>(records.head().parameters.head_dim);
}

/// Row `slot` of rows of `width` elements; null where the memory has no such rows.
template <class T>
T* row_of(std::vector<T>* rows, std::size_t width, int slot) {
  return rows->empty() ? nullptr : rows->data() + static_cast<std::size_t>(slot) * width;
}

template <class T>
void put_row(std::vector<T>* rows, std::size_t width, int slot, const T* from) {
  if (T* const to = row_of(rows, width, slot)) std::copy_n(from, width, to);
}

template <class T>
void clear_row(std::vector<T>* rows, std::size_t width, int slot) {
  if (T* const to = row_of(rows, width, slot)) std::fill_n(to, width, T{});
}

/// Whether channel c belongs to the slower half of the rotary pairs.
bool in_band(const MemoryHead& head, std::size_t c) {
  const auto d = static_cast<std::size_t>(head.parameters.head_dim);
  const std::size_t pair = head.interleaved_pairs ? c / 2 : c % (d / 2);
  return pair >= d / 4;
}

/// The row of a slot that holds a token of its own, as FP32: read back from its record, or itself.
std::vector<float> value_row(MemoryRecords* records, MemoryState* state, int slot) {
  const std::size_t d = dim(*records);
  std::vector<float> row(d);
  if (const float* const wide = row_of(&state->wide_values, d, slot)) {
    std::copy_n(wide, d, row.data());
  } else if (const std::uint16_t* const half = row_of(&state->values, d, slot)) {
    std::transform(half, half + d, row.begin(),
                   [](std::uint16_t x) { return static_cast<float>(half_to_double(x)); });
  } else {
    const std::uint8_t* const stored = row_of(&state->value_records, records->stored_bytes(), slot);
    records->units().dequantize(records->dequantizer(), records->read(stored), row.data());
  }
  return row;
}

/// FP32 RNE of sqrt(2) * k in the slower half of the pairs, 0 elsewhere: a key as a banded summary
/// takes it (bit-contract.md#memory-band).
std::vector<float> banded_key(const MemoryRecords& records, MemoryState* state, int slot) {
  const std::size_t d = dim(records);
  const auto root = static_cast<float>(std::sqrt(2.0));
  std::vector<float> row(d, 0.0F);
  const float* const wide = row_of(&state->wide_keys, d, slot);
  const std::uint16_t* const half = row_of(&state->keys, d, slot);
  for (std::size_t c = 0; c < d; ++c)
    if (in_band(records.head(), c))
      row[c] = root * (wide != nullptr ? wide[c] : static_cast<float>(half_to_double(half[c])));
  return row;
}

bool banded(const MemoryRecords& records, const MemoryState& state) {
  return records.head().memory.summary_key == SummaryKey::band &&
         (!state.keys.empty() || !state.wide_keys.empty());
}

/// The FP16 or FP32 row that is the mean of a summary's values.
std::uint16_t* master_of(MemoryState* state, std::size_t d, int slot) {
  return row_of(state->values.empty() ? &state->masters : &state->values, d, slot);
}

/// Begins a mean in a row of either width.
void begin_mean(const UnitTable& units, const std::vector<float>& row, std::uint16_t* half,
                float* wide) {
  if (wide != nullptr)
    std::copy(row.begin(), row.end(), wide);
  else
    units.begin_master(row.data(), row.size(), half);
}

void blend_mean(const UnitTable& units, float eta, const std::vector<float>& row,
                std::uint16_t* half, float* wide) {
  if (wide != nullptr)
    blend_wide_ref(eta, row.data(), row.size(), wide);
  else
    units.blend(eta, row.data(), row.size(), half);
}

/// Moves a row to another slot.
template <class T>
void move_row(std::vector<T>* rows, std::size_t width, int from, int to) {
  if (from != to && !rows->empty())
    std::copy_n(row_of(rows, width, from), width, row_of(rows, width, to));
}

/// Writes the value record of a summary anew, from its master.
void rewrite_record(MemoryRecords* records, MemoryState* state, int slot) {
  const std::size_t d = dim(*records);
  std::vector<std::uint16_t> rounded(d);
  const std::uint16_t* master = master_of(state, d, slot);
  if (const float* const wide = row_of(&state->wide_values, d, slot)) {
    begin_master_ref(wide, d, rounded.data());
    master = rounded.data();
  }
  records->write(true, master, state->positions[static_cast<std::size_t>(slot)],
                 row_of(&state->value_records, records->stored_bytes(), slot));
}

bool all_finite(const std::uint16_t* row, std::size_t d) {
  constexpr int kExponent = 0x7C00;
  bool finite = true;
  for (std::size_t i = 0; i < d; ++i) finite = finite && (row[i] & kExponent) != kExponent;
  return finite;
}

}  // namespace

MemoryStatus receive_token(MemoryRecords* records, const MemoryState& state,
                           const MemoryToken& token, std::uint8_t* key, std::uint8_t* value) {
  const std::size_t d = dim(*records);
  if (!std::isfinite(token.gate) || !all_finite(token.value, d) ||
      (token.key != nullptr && !all_finite(token.key, d)))
    return MemoryStatus::rejected_nonfinite;
  if (state.tokens >= records->head().longest) return MemoryStatus::rejected_full;
  const auto position = static_cast<std::int32_t>(state.tokens);
  if (!state.key_records.empty()) records->write(false, token.key, position, key);
  records->write(true, token.value, position, value);
  return MemoryStatus::stored;
}

void place_token(const MemoryRecords& records, MemoryState* state, const MemoryToken& token,
                 int gate, const std::uint8_t* key, const std::uint8_t* value, int slot) {
  const std::size_t d = dim(records);
  const auto s = static_cast<std::size_t>(slot);
  state->labels[s] = SlotLabel::window;
  state->gates[s] = static_cast<std::uint8_t>(gate);
  state->positions[s] = state->stamps[s] = static_cast<std::int32_t>(state->tokens);
  state->merged[s] = 1;
  put_row(&state->key_records, records.stored_bytes(), slot, key);
  put_row(&state->value_records, records.stored_bytes(), slot, value);
  put_row(&state->keys, d, slot, token.key);
  put_row(&state->values, d, slot, token.value);
  put_row(&state->wide_keys, d, slot, token.wide_key);
  put_row(&state->wide_values, d, slot, token.wide_value);
  ++state->tokens;
}

void free_slot(const MemoryRecords& records, MemoryState* state, int slot) {
  const std::size_t d = dim(records);
  const auto s = static_cast<std::size_t>(slot);
  state->labels[s] = SlotLabel::free;
  state->gates[s] = 0;
  state->positions[s] = state->stamps[s] = state->merged[s] = 0;
  clear_row(&state->key_records, records.stored_bytes(), slot);
  clear_row(&state->value_records, records.stored_bytes(), slot);
  for (auto* rows : {&state->masters, &state->keys, &state->values}) clear_row(rows, d, slot);
  for (auto* rows : {&state->wide_keys, &state->wide_values}) clear_row(rows, d, slot);
}

void spawn_summary(MemoryRecords* records, MemoryState* state, int y) {
  const std::size_t d = dim(*records);
  const std::vector<float> row = value_row(records, state, y);
  begin_mean(records->units(), row, master_of(state, d, y), row_of(&state->wide_values, d, y));
  if (banded(*records, *state))
    begin_mean(records->units(), banded_key(*records, state, y), row_of(&state->keys, d, y),
               row_of(&state->wide_keys, d, y));
  state->labels[static_cast<std::size_t>(y)] = SlotLabel::summary;
}

int merge_summary(MemoryRecords* records, MemoryState* state, int y, int s) {
  const std::size_t d = dim(*records);
  const auto of_y = static_cast<std::size_t>(y), of_s = static_cast<std::size_t>(s);
  const float eta = blend_rate(records->head().memory.blend, state->gates[of_y]);
  const std::vector<float> row = value_row(records, state, y);
  blend_mean(records->units(), eta, row, master_of(state, d, s), row_of(&state->wide_values, d, s));
  const bool y_stays = state->positions[of_y] > state->positions[of_s];
  const int stays = y_stays ? y : s;
  if (banded(*records, *state)) {
    blend_mean(records->units(), eta, banded_key(*records, state, y), row_of(&state->keys, d, s),
               row_of(&state->wide_keys, d, s));
    move_row(&state->keys, d, s, stays);
    move_row(&state->wide_keys, d, s, stays);
  }
  for (auto* rows : {&state->masters, &state->values}) move_row(rows, d, s, stays);
  move_row(&state->wide_values, d, s, stays);
  const auto of_stays = static_cast<std::size_t>(stays);
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  state->labels[of_stays] = SlotLabel::summary;
  state->merged[of_stays] = state->merged[of_s] == kMost ? kMost : state->merged[of_s] + 1;
  rewrite_record(records, state, stays);
  free_slot(*records, state, y_stays ? s : y);
  return stays;
}

}  // namespace axelram
