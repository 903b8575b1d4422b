#include "axelram/fast_kivi.hpp"

#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "golden/fields.hpp"
#include "golden/float_mode.hpp"
#include "golden/guarded_bytes.hpp"
#include "golden/tier_oracle.hpp"

using namespace axelram;

namespace {

using namespace tier_oracle;
using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

std::vector<KiviLayout> layouts() {
  std::vector<KiviLayout> all;
  for (const int bits : {2, 3, 4}) {
    for (const std::size_t group : {8, 16, 32, 64, 128, 256})
      all.push_back(kivi_key_layout(bits, 32, group));
    for (const std::size_t d : {64, 128, 256}) all.push_back(kivi_key_layout(bits, d, 32));
    for (const std::size_t group : {8, 16, 32, 64, 128, 256})
      all.push_back(kivi_value_layout(bits, 256, group));
    all.push_back(kivi_value_layout(bits, 8, 8));
  }
  return all;
}

Row random_block(tier_oracle::Rng& rng, const KiviLayout& layout) {
  Row x(layout.elements());
  for (std::size_t g = 0; g < layout.groups; ++g) {
    const Row group = tier_oracle::adversarial_group(rng, layout.size, layout.most());
    for (std::size_t i = 0; i < layout.size; ++i) x[layout.at(g, i)] = group[i];
  }
  return x;
}

void check(tier_oracle::Rng& rng, const KiviLayout& layout, unsigned mode) {
  const Row x = random_block(rng, layout);
  Bytes expected(layout.bytes()), block;
  encode_kivi_ref(layout, x.data(), expected.data());
  for (const SimdLevel level : fast_test::levels()) {
    CASE(level);
    block.assign(layout.bytes(), 0xA5);
    run_in_mode(mode, [&] { encode_kivi(layout, x.data(), block.data(), level); });
    REQUIRE_SAME(block, expected);
  }

  for (std::size_t i = 0; i < layout.code_bytes(); ++i)
    block[i] = static_cast<std::uint8_t>(tier_oracle::uniform(rng, 0, 255));  // every code
  const auto decode = [&](const KiviLayout& of, const Bytes& from) {
    const fast_test::GuardedBytes bytes(from);
    Floats by_reference(of.elements());
    decode_kivi_ref(of, bytes.data(), by_reference.data());
    for (const SimdLevel level : fast_test::levels()) {
      CASE(level);
      Floats decoded(of.elements());
      run_in_mode(mode, [&] { decode_kivi(of, bytes.data(), decoded.data(), level); });
      REQUIRE(test::same_bits(decoded, by_reference));
    }
  };
  decode(layout, block);
  if (layout.bits != 4) return;
  const KiviLayout nested = nested_kivi_layout(layout);
  Bytes archive(nested.bytes(), 0xA5), by_reference(nested.bytes());
  nest_kivi_ref(layout, block.data(), by_reference.data());
  nest_kivi(layout, block.data(), archive.data());
  REQUIRE_SAME(archive, by_reference);
  decode(nested, archive);
}

}  // namespace

TEST_CASE("fast KIVI blocks and rows equal golden's, whatever the caller's modes") {
  tier_oracle::Rng rng(121);
  // As usual; flush; down; up; to zero.
  for (const unsigned mode : {0x1F80U, 0x9FC0U, 0x3F80U, 0x5F80U, 0x7F80U})
    for (const KiviLayout& layout : layouts())
      for (int trial = 0; trial < 6; ++trial) {
        CASE(mode, layout, trial);
        check(rng, layout, mode);
      }
}

TEST_CASE("fast KIVI: every FP16 number, each width") {
  for (const int bits : {2, 3, 4}) {
    CASE(bits);
    const KiviLayout layout = kivi_value_layout(bits, 256, 8);
    Row x;
    for (int code = 0; code <= 0xFFFF; ++code)
      if ((code & 0x7FFF) <= 0x7BFF) x.push_back(static_cast<Half>(code));
    for (std::size_t at = 0; at + 256 <= x.size(); at += 128) {
      CASE(at);
      Bytes expected(layout.bytes());
      encode_kivi_ref(layout, &x[at], expected.data());
      for (const SimdLevel level : fast_test::levels()) {
        CASE(level);
        Bytes block(layout.bytes(), 0xA5);
        encode_kivi(layout, &x[at], block.data(), level);
        REQUIRE_SAME(block, expected);
      }
    }
  }
}

TEST_CASE("fast KIVI rejects what golden rejects") {
  for (const int bits : {2, 3, 4})
    for (const int bad : {0x7C00, 0xFC00, 0x7E00, 0xFFFF})
      for (const std::size_t at : {0, 7, 8, 15}) {
        CASE(bits, bad, at);
        const KiviLayout layout = kivi_value_layout(bits, 16, 8);
        Row x(16, 0x3C00);
        x[at] = static_cast<Half>(bad);
        Bytes block(layout.bytes());
        for (const SimdLevel level : fast_test::levels()) {
          CASE(level);
          CHECK_THROWS_WITH_AS(encode_kivi(layout, x.data(), block.data(), level),
                               doctest::Contains("not finite"), std::invalid_argument);
        }
      }
}
