#include <algorithm>
#include <limits>

#include "axelram/fast_keys.hpp"
#include "axelram/fast_similarity.hpp"
#include "rows/similarity/arguments.hpp"
#include "scores/score/arguments.hpp"
#include "simd/level_units.hpp"

namespace axelram {
namespace {

constexpr std::size_t kTogether = 256;   // slots whose sums wait for comparison
constexpr std::size_t kReadable = 1024;  // bytes behind the last group that loads may reach
constexpr std::size_t kDotGroup = 16;    // records that the widest level loads together

template <int bits>
std::int32_t look_up(const RecordWords& words, const std::uint8_t* record, std::int8_t* to) {
  constexpr std::uint32_t kMask = (1U << bits) - 1;
  std::int8_t table[1 << bits];
  std::int32_t squares[1 << bits];
  for (std::size_t j = 0; j <= kMask; ++j) {
    table[j] = static_cast<std::int8_t>(words.centroids[j]);
    squares[j] = words.centroids[j] * words.centroids[j];
  }
  std::int32_t sum = 0;
  for (int i = 0; i < words.head_dim; i += 8, record += bits) {
    std::uint32_t indices = 0;
    for (int byte = 0; byte < bits; ++byte)
      indices |= static_cast<std::uint32_t>(record[byte]) << (8 * byte);
    for (int j = 0; j < 8; ++j) {
      const std::uint32_t index = indices >> (bits * j) & kMask;
      to[i + j] = table[index];
      sum += squares[index];
    }
  }
  return sum;
}

/// Whether bits 0 to 14 of a record's norm are 0.
bool zero_norm(const std::uint8_t* record, std::size_t bytes) {
  return record[bytes - 2] == 0 && (record[bytes - 1] & 0x7F) == 0;
}

}  // namespace

void prepare_record(const RecordWords& words, const std::uint8_t* record, RecordQuery* query) {
  const auto bytes = static_cast<std::size_t>(record_bytes(words.head_dim, words.index_bits));
  query->zero = zero_norm(record, bytes);
  const std::int32_t squares = words.index_bits == 2   ? look_up<2>(words, record, query->words)
                               : words.index_bits == 3 ? look_up<3>(words, record, query->words)
                                                       : look_up<4>(words, record, query->words);
  query->root = root(static_cast<std::uint64_t>(squares) << 16);
}

SlotBank::SlotBank(const RecordWords& words, std::size_t slots, std::size_t capacity,
                   SimdLevel level)
    : words_{},
      head_dim_(words.head_dim),
      index_bits_(words.index_bits),
      level_(level),
      stride_(static_cast<std::size_t>(record_bytes(words.head_dim, words.index_bits))),
      places_(slots) {
  for (std::size_t j = 0; j < std::size_t{1} << index_bits_; ++j)
    words_[j] = static_cast<std::int8_t>(words.centroids[j]);
  slots_.reserve(capacity);
  const std::size_t places = capacity + kNearestStep;
  roots_.resize(places);
  masks_.resize(places);
  records_.resize((capacity + kDotGroup) * stride_ + kReadable);
}

void SlotBank::put(int slot, const std::uint8_t* record, std::uint32_t root) {
  const std::size_t place = slots_.size();
  slots_.push_back(slot);
  places_[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(place);
  roots_[place] = root;
  masks_[place] = zero_norm(record, stride_) ? 0 : -1;
  std::copy_n(record, stride_, &records_[place * stride_]);
}

void SlotBank::remove(int slot) {
  const auto place = static_cast<std::size_t>(places_[static_cast<std::size_t>(slot)]);
  move(slots_.size() - 1, place);
  slots_.pop_back();
}

/// Moves the slot of a place to another one.
void SlotBank::move(std::size_t from, std::size_t to) {
  if (from == to) return;
  slots_[to] = slots_[from];
  roots_[to] = roots_[from];
  masks_[to] = masks_[from];
  std::copy_n(&records_[from * stride_], stride_, &records_[to * stride_]);
  places_[static_cast<std::size_t>(slots_[to])] = static_cast<std::int32_t>(to);
}

Nearest SlotBank::nearest(const RecordQuery& query) const {
  const LevelUnits& units = level_units(level_);
  NearestSlot nearest{kFarthest, 1, std::numeric_limits<std::int32_t>::max()};
  for (std::size_t first = 0; first < slots_.size(); first += kTogether) {
    const std::size_t count = std::min(kTogether, slots_.size() - first);
    std::int32_t acc[kTogether + kNearestStep];
    std::int32_t slots[kTogether + kNearestStep];
    std::uint32_t roots[kTogether + kNearestStep];
    if (query.zero)
      std::fill_n(acc, count, 0);
    else
      units.dot({query.words, words_, head_dim_, index_bits_, 0},
                {&records_[first * stride_], stride_, count, records_.data() + records_.size()},
                acc);
    for (std::size_t i = 0; i < count; ++i) acc[i] &= masks_[first + i];
    std::copy_n(&slots_[first], count, slots);
    std::copy_n(&roots_[first], count, roots);
    std::fill_n(acc + count, kNearestStep, kFarthest);
    std::fill_n(slots + count, kNearestStep, std::numeric_limits<std::int32_t>::max());
    std::fill_n(roots + count, kNearestStep, 1U);
    const NearestSlot one = units.nearest_slot({acc, roots, slots, count});
    if (nearer_slot(one, nearest)) nearest = one;
  }
  if (slots_.empty()) return {};
  return {nearest.slot, nearest.acc, nearest.root};
}

}  // namespace axelram
