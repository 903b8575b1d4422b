#include "axelram/exact.hpp"
#include "axelram/score.hpp"

namespace axelram {

std::int64_t accumulate_copy_ref(const std::int32_t* u, const std::int16_t* copy, int d) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += std::int64_t{u[i]} * copy[i];
  return sum;
}

float score_copy_ref(std::int64_t acc, int e_u, int e_k, int centroid_bits, bool* saturated) {
  constexpr std::uint16_t kOne = 0x3C00;
  return score_ref(acc, kOne, e_u + e_k + centroid_bits - 2, saturated);
}

ExactStore::ExactStore(const Parameters& parameters)
    : parameters_(parameters), places_(static_cast<std::size_t>(parameters.copies())) {}

void ExactStore::write(const KeyCopy* copy) {
  const std::size_t token = tokens_++;
  if (!is_exact(token, tokens_, parameters_)) return;
  KeyCopy& place = places_[copy_place(token, parameters_)];
  if (copy != nullptr)
    place = *copy;
  else
    place.elements.clear();
}

const KeyCopy* ExactStore::find(std::size_t token) const {
  if (!is_exact(token, tokens_, parameters_)) return nullptr;
  const KeyCopy& copy = places_[copy_place(token, parameters_)];
  return copy.elements.empty() ? nullptr : &copy;
}

}  // namespace axelram
