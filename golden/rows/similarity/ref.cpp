#include <cmath>
#include <vector>

#include "axelram/norm.hpp"
#include "axelram/record.hpp"
#include "axelram/rounding.hpp"
#include "axelram/similarity.hpp"

namespace axelram {
namespace {

/// Centroid words of a record's indices; `zero` if its norm is.
struct Unpacked {
  Unpacked(const RecordWords& words, const std::uint8_t* record)
      : indices(static_cast<std::size_t>(words.head_dim)), c(indices.size()) {
    std::uint16_t norm = 0;
    unpack_record_ref(record, words.head_dim, words.index_bits, indices.data(), &norm);
    zero = (norm & 0x7FFF) == 0;
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = words.centroids[indices[i]];
  }
  std::vector<std::uint8_t> indices;
  std::vector<std::int32_t> c;
  bool zero;
};

}  // namespace

std::int32_t similarity_ref(const RecordWords& words, const std::uint8_t* a,
                            const std::uint8_t* b) {
  const Unpacked of_a(words, a), of_b(words, b);
  if (of_a.zero || of_b.zero) return 0;
  std::int32_t acc = 0;
  for (std::size_t i = 0; i < of_a.c.size(); ++i) acc += of_a.c[i] * of_b.c[i];
  return acc;
}

std::uint32_t record_root_ref(const RecordWords& words, const std::uint8_t* record) {
  const Unpacked of(words, record);
  return root_ref(square_sum_ref(of.c.data(), words.head_dim) << 16);
}

std::uint32_t similarity_threshold(double tau, double distortion) {
  return static_cast<std::uint32_t>(round_to_even(std::ldexp(tau * (1 - distortion), 16)));
}

Nearest nearest_ref(const RecordWords& words, const std::uint8_t* record, const int* slots,
                    const std::uint8_t* const* of_slots, std::size_t count) {
  Nearest best;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t acc = similarity_ref(words, record, of_slots[i]);
    const std::uint32_t root = record_root_ref(words, of_slots[i]);
    if (best.slot < 0 || nearer(acc, root, best.acc, best.root)) best = {slots[i], acc, root};
  }
  return best;
}

}  // namespace axelram
