#include <cmath>

#include "axelram/attention.hpp"
#include "axelram/philox.hpp"
#include "axelram/signs.hpp"
#include "check.hpp"

using namespace axelram;

namespace {

/// FNV-1a of 64-bit integers.
struct Digest {
  std::uint64_t value = 0xCBF29CE484222325;
  void add(std::uint64_t word) {
    for (int place = 0; place < 8; ++place)
      value = (value ^ (word >> 8 * place & 255)) * 0x100000001B3;
  }
  template <typename Values>
  void add_all(const Values& values) {
    for (const auto each : values) add(static_cast<std::uint64_t>(std::int64_t{each}));
  }
};

/// Attention i: parameters, scores and records of values that Philox draws.
void attend_drawn(std::uint32_t i, Digest* digest) {
  Parameters p{.head_dim = 32 << i % 3,
               .index_bits = static_cast<int>(2 + i % 3),
               .significand_bits = static_cast<int>(12 + i % 9),
               .kind = i % 4 == 3 ? QuantizerKind::trellis : QuantizerKind::mse};
  const AttentionParameters attention{1, static_cast<int>(12 + i % 17),
                                      std::ldexp(1.0, static_cast<int>(i % 9) - 3),
                                      i % 2 == 0 ? OutputFormat::fp16 : OutputFormat::fp32};
  const auto size = static_cast<std::size_t>(p.record_bytes()), count = std::size_t{i % 23};
  std::vector<std::uint8_t> records(count * size);
  std::vector<float> scores;
  for (std::uint32_t t = 0; t < count; ++t) {
    const auto word = [&](std::size_t j) {
      return philox4x32({static_cast<std::uint32_t>(j / 4), t, i, 77}, {0, 0})[j % 4];
    };
    std::uint8_t* const record = records.data() + t * size;
    for (std::size_t j = 0; j < size; ++j)
      record[j] = static_cast<std::uint8_t>(word(j / 4) >> (8 * (j % 4)));
    if (t % 7 == 3) record[size - 2] = record[size - 1] = 0;
    const std::size_t behind = (size + 3) / 4;
    const auto whole = static_cast<std::int32_t>(word(behind)) >> 8;
    scores.push_back(
        std::ldexp(static_cast<float>(whole), static_cast<int>(word(behind + 1) & 15) - 4));
  }
  std::vector<std::int8_t> signs(static_cast<std::size_t>(p.head_dim));
  sign_vector(42, static_cast<int>(i), 0, p.head_dim, signs.data());
  AttentionResult found;
  attend_ref(attention, p, codebook_rom(p), signs.data(), scores.data(), records.data(), count,
             &found);
  digest->add_all(found.logits);
  digest->add_all(found.weights);
  digest->add_all(found.weight_references);
  digest->add(static_cast<std::uint64_t>(std::int64_t{found.maximum}));
  digest->add(found.denominator);
  digest->add_all(found.sums);
  digest->add(static_cast<std::uint64_t>(found.output_shift));
  digest->add_all(found.rotated);
  digest->add(found.reciprocal);
  digest->add_all(found.outputs);
}

}  // namespace

TEST_CASE("60 attentions are those of the independent implementation") {
  // The same number in tests/independent/selfcheck_attention.py, a program that shares no code.
  Digest digest;
  for (std::uint32_t i = 0; i < 60; ++i) attend_drawn(i, &digest);
  CHECK(digest.value == 0x82ee70801b00fd1e);
}
