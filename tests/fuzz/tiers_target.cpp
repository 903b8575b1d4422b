#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "axelram/files/tier_constants.hpp"
#include "axelram/half.hpp"
#include "require.hpp"

using namespace axelram;
using namespace axelram::files;

namespace {

/// The constants, or nothing if they are rejected with an InputError on one line.
std::optional<TierConstants> read_constants(const Safetensors& file, const TierNeeds& needs) {
  try {
    return tier_constants_from(file, needs);
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(message.rfind("f: ", 0) == 0, message);
    require(message.find_first_of("\n\r") == std::string::npos, message);
    require(message.find("; ") != std::string::npos, message);
    require(message.size() < 1500, message);
    return std::nullopt;
  }
}

void check_codebook(const NuqCodebook& book, int bits) {
  require(book.centroids.size() == std::size_t{1} << bits, "centroids");
  require(book.levels.size() == book.centroids.size(), "levels");
  nuq_boundaries_ref(book.centroids);  // throws unless they are finite and ascend
  for (const std::uint16_t level : book.levels)
    require(is_finite(level, ElementFormat::fp16), "a finite level");
}

/// All that a store takes is within the ranges of its unit.
void check_store(const TierConstants& all, const TierNeeds& needs) {
  require(all.outliers >= 0 && all.outliers <= 0.25, "share of outliers");
  require(all.model.empty() || all.model.size() == 64, "digest");
  // Tensors without elements may state any number of layers.
  for (std::size_t layer = 0; layer < std::min<std::size_t>(all.layers, 3); ++layer) {
    for (const int bits : needs.key_bits)
      check_codebook(all.key_codebook(layer, bits, needs.qnorm), bits);
    for (const int bits : needs.value_bits)
      check_codebook(all.value_codebook(layer, bits, needs.qnorm), bits);
    for (std::size_t head = 0; head < std::min<std::size_t>(all.heads, 3); ++head) {
      if (needs.squat) check_squat_feedback(all.feedback(layer, head));
      if (needs.key_bits.empty()) continue;
      const NuqRanges ranges = all.ranges(layer, head);
      for (std::size_t i = 0; i < all.d; ++i)
        require(is_finite(ranges.middles[i], ElementFormat::fp16) &&
                    half_to_double(ranges.radii[i]) >= 0 && half_to_double(ranges.radii[i]) < 65505,
                "a range");
    }
  }
}

}  // namespace

/// Any bytes give constants that the units of tiers take, or an InputError on one line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<Safetensors> file;
  try {
    file = Safetensors::parse(std::vector<std::uint8_t>(data, data + size), "f");
  } catch (const InputError&) {  // fuzz_safetensors looks at these
    return 0;
  }
  TierNeeds squat, kvquant, normed, values, fitting;
  squat.squat = true;
  kvquant.key_bits = kvquant.value_bits = {2, 3, 4};
  normed.key_bits = normed.value_bits = {3};
  normed.qnorm = true;
  values.value_bits = {2};
  fitting.squat = true;
  fitting.rope = Rope::pre;
  fitting.layers = fitting.heads = 1, fitting.d = 32;
  fitting.model = [] { return std::string(64, 'a'); };
  const bool any = read_constants(*file, {}).has_value();
  for (const TierNeeds& needs : {squat, kvquant, normed, values, fitting})
    if (const std::optional<TierConstants> all = read_constants(*file, needs)) {
      require(any, "who needs less takes as much");
      check_store(*all, needs);
      require(!needs.rope || (all->rope == Rope::pre && all->layers == 1 && all->d == 32),
              "what a store states");
    }
  return 0;
}
