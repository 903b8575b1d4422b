#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/half.hpp"
#include "axelram/memory.hpp"
#include "golden/fast_inputs.hpp"

/// Memories of random parameters, and tokens that hit, differ a little, or are new.

namespace memory_test {

using fast_test::between;
using fast_test::Random;

inline double real(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

template <class T>
T one_of(Random& random, std::initializer_list<T> values) {
  return values.begin()[between(random, 0, static_cast<int>(values.size()) - 1)];
}

inline axelram::MemoryHead random_head(Random& random, axelram::MemoryStore store) {
  using namespace axelram;
  MemoryHead head;
  Parameters& p = head.parameters;
  p.head_dim = one_of(random, {32, 32, 64, 128, 256});
  p.index_bits = between(random, 2, 4);
  p.centroid_bits = between(random, 6, 8);
  p.significand_bits = between(random, 12, 20);
  p.codebook = one_of(random, {CodebookKind::gaussian, CodebookKind::beta});
  MemoryOptions options;
  options.window = between(random, 1, 6);
  options.exact = between(random, 0, 20);
  options.sinks = between(random, 0, 1) == 0 ? 0 : between(random, 0, options.exact);
  options.summary = between(random, 0, 18);
  options.novel = one_of(random, {0.0, 0.5, 0.7, 0.9, real(random, 0, 1), 2.0});
  if (between(random, 0, 1) == 0) options.match = real(random, options.novel, 2);
  options.gate_exact = one_of(random, {0.0, 0.1, 0.5});
  options.gate_summary = one_of(random, {0.0, 0.05, 0.6});
  options.blend = one_of(random, {0.0, 0.047, 0.5, 1.0});
  options.evict = one_of(random, {EvictKind::lru, EvictKind::gate});
  options.store = store;
  if (store != MemoryStore::records)
    options.summary_key = one_of(random, {SummaryKey::newest, SummaryKey::band});
  head.interleaved_pairs = between(random, 0, 1) == 1;
  head.memory = memory_parameters(options, p);
  head.rom = std::make_shared<const CodebookRom>(codebook_rom(p));
  head.signs = fast_test::signs(random, p.head_dim);
  return head;
}

/// Rows of a token, before and after rounding.
struct Token {
  std::vector<float> wide_key, wide_value;
  std::vector<std::uint16_t> key, value;
  float gate = 0;

  axelram::MemoryToken view() const {
    return {key.data(), value.data(), gate, wide_key.data(), wide_value.data()};
  }
};

/// Values around a few prototypes, some of them equal, zero or as large as FP16 has them.
class Tokens {
 public:
  Tokens(Random& random, int d) : random_(random), d_(static_cast<std::size_t>(d)) {
    for (int i = 0; i < 9; ++i) prototypes_.push_back(gaussian(i == 8 ? 25000 : 3));
    prototypes_.push_back(std::vector<float>(d_, 0.0F));
  }

  Token next() {
    Token token;
    token.wide_key = gaussian(2);
    token.wide_value = prototypes_[static_cast<std::size_t>(between(random_, 0, 9))];
    const double noise = one_of(random_, {0.0, 0.3, 1.0, 3.0});
    for (float& x : token.wide_value) x += static_cast<float>(noise * normal_(random_));
    if (between(random_, 0, 40) == 0) token.wide_value[3] = 65504;
    if (between(random_, 0, 40) == 0) token.wide_value[5] = -0.0F;
    token.gate = one_of(random_, {-6.0F, -2.9652731F, -2.1972246F, -1.0F, 0.0F, 2.0F, 16.0F});
    if (between(random_, 0, 1) == 0) token.gate = static_cast<float>(real(random_, -6, 6));
    for (const float x : token.wide_key) token.key.push_back(axelram::saturated_half(x));
    for (const float x : token.wide_value) token.value.push_back(axelram::saturated_half(x));
    return token;
  }

 private:
  std::vector<float> gaussian(float deviation) {
    std::vector<float> x;
    for (std::size_t i = 0; i < d_; ++i) x.push_back(deviation * normal_(random_));
    return x;
  }

  Random& random_;
  std::size_t d_;
  std::normal_distribution<float> normal_;
  std::vector<std::vector<float>> prototypes_;
};

}  // namespace memory_test
