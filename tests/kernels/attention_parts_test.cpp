#include "attention_case.hpp"
#include "attention_fill.hpp"
#include "check.hpp"
#include "two_parts.hpp"

using test::AttentionCase;

namespace {

/// Values beside keys of two parts: FP16 (bits 0), or records of a trellis if the keys are.
axelram::Parameters values_of(const axelram::Parameters& keys, int bits) {
  axelram::Parameters p = test::parameters_of(keys.head_dim, bits);
  if (keys.trellis()) {
    p.kind = axelram::QuantizerKind::trellis;
    p.states = keys.states == 16 ? 4 : 16;
  }
  return p;
}

AttentionCase make_case(axelram::kernels::Stream& stream, const axelram::Parameters& keys,
                        int value_bits, int heads, int group,
                        const std::vector<std::int32_t>& lengths) {
  AttentionCase c(stream, group, heads, keys, true, values_of(keys, value_bits), value_bits != 0,
                  64, lengths, 7);
  test::fill_random(c, lengths, 1);
  // Every fifth key becomes a record of any bits, with norms of ordinary size.
  const auto bytes = static_cast<std::size_t>(keys.record_bytes());
  for (std::size_t s = 0; s < lengths.size(); ++s)
    for (std::int32_t t = 2; t < lengths[s]; t += 5)
      for (std::int32_t head = 0; head < heads; ++head) {
        std::vector<std::uint8_t> record =
            test::random_bytes(bytes, 3 * static_cast<std::uint64_t>(t + head));
        record[bytes - 3] = static_cast<std::uint8_t>(0x3C + t % 8);
        record[bytes - 1] = static_cast<std::uint8_t>(0x30 + t % 11);
        c.keys.put(static_cast<std::int32_t>(s), t, head, record.data());
      }
  return c;
}

}  // namespace

TEST_CASE("two parts: fused attention, every kind and width of keys and values") {
  axelram::kernels::Stream stream;
  std::uint64_t seed = 10;
  for (const int d : {64, 128})
    for (const axelram::Parameters& keys : test::all_two_parts(d)) {
      // Values of all bits take turns.
      const int bits = seed % 4 == 0 ? 0 : 1 + static_cast<int>(seed % 4);
      CASE(d, test::text_of(keys), bits);
      const std::vector<std::int32_t> lengths = {70, 33};
      AttentionCase c = make_case(stream, keys, bits, 2, 3, lengths);
      test::ask_random(c, 0, 70, ++seed);
      test::ask_random(c, 1, 33, ++seed);
      test::ask_random(c, 1, 32, seed += 3);
      const std::vector<double> reference = c.reference();
      CHECK(test::worst_error(c.attend(2), reference, d) < 1e-3);
      CHECK(c.fast);
      CHECK(test::worst_error(c.attend(0, true), reference, d) < 1e-5);
    }
}

TEST_CASE("two parts: fused attention, groups of every size, splits, contexts of many tiles") {
  axelram::kernels::Stream stream;
  for (const axelram::Parameters& keys : test::some_two_parts(128, 1))
    for (const int group : {1, 8, 16}) {
      CASE(test::text_of(keys), group);
      const std::vector<std::int32_t> lengths = {300};
      AttentionCase c = make_case(stream, keys, 0, 1, group, lengths);
      for (const std::int32_t visible : {0, 1, 64, 300}) test::ask_random(c, 0, visible, 20, 3);
      const std::vector<double> reference = c.reference();
      for (const std::int32_t splits : {1, 3}) {
        CASE(splits);
        CHECK(test::worst_error(c.attend(splits), reference, 128) < 1e-3);
        CHECK(c.fast);
      }
    }
}

TEST_CASE("two parts: the general kernel takes wide queries and other head sizes") {
  axelram::kernels::Stream stream;
  for (const int d : {32, 64, 256})
    for (axelram::Parameters keys : test::some_two_parts(d, 0)) {
      if (d == 32 && keys.split()) continue;  // no tiles
      CASE(d, test::text_of(keys));
      keys.query_bits = keys.centroid_bits = 12;
      const std::vector<std::int32_t> lengths = {45};
      AttentionCase c = make_case(stream, keys, 3, 2, 3, lengths);
      for (const std::int32_t visible : {0, 1, 45}) test::ask_random(c, 0, visible, 60);
      CHECK(test::worst_error(c.attend(0), c.reference(), d) < 1e-5);
      CHECK(!c.fast);
    }
}

TEST_CASE("two parts: values of two parts, beside keys of one part and of two") {
  axelram::kernels::Stream stream;
  std::uint64_t seed = 70;
  for (const int d : {32, 64, 128, 256})
    for (const axelram::Parameters& values : test::all_two_parts(d)) {
      if (d == 32 && values.split()) continue;  // no tiles
      CASE(d, test::text_of(values));
      const bool alike = seed % 2 == 0;
      const std::vector<std::int32_t> lengths = {45};
      AttentionCase c(stream, 2, 2, alike ? values : test::parameters_of(d, 3), true, values, true,
                      64, lengths, 7);
      test::fill_random(c, lengths, 1);
      for (const std::int32_t visible : {0, 1, 45}) test::ask_random(c, 0, visible, ++seed);
      CHECK(test::worst_error(c.attend(0), c.reference(), d) < 1e-5);
      CHECK(!c.fast);
      ++seed;
    }
}

TEST_CASE("two parts: attention that lacks a rotation, or has copies, is rejected by name") {
  axelram::kernels::Stream stream;
  using namespace axelram::kernels;
  const auto attend = [&](const axelram::Parameters& p, bool with_v, bool with_copies) {
    AttentionCache cache;
    cache.keys = test::part_pages(p, 1, 64);
    cache.values = test::row_pages(RowKind::fp16, 128, 256, 0, 1, 64);
    cache.key_constants = macro_constants(p, axelram::codebook_rom(p));
    if (with_copies) cache.exact_keys = {1, 128, 1, 0, 0, nullptr, nullptr};
    AttentionQueries queries{.count = 1};
    const std::int8_t byte[1] = {};
    const std::int32_t word[1] = {};
    queries.u8 = byte;
    queries.exponents = word;
    if (with_v) queries.v8 = byte;
    attention_workspace(AttentionShape{1, 1, 128, 1, 0}, cache, queries, 1);
  };
  CHECK_THROWS_WITH_AS(attend(test::prod_of(128, 3), false, false),
                       doctest::Contains("rotated twice"), DeviceError);
  CHECK_THROWS_WITH_AS(attend(test::prod_of(128, 3), true, false),
                       doctest::Contains("rotated twice"), DeviceError);
  CHECK_THROWS_AS(attend(test::split_of(128, 4, 2, 0), false, true), DeviceError);
  CHECK_NOTHROW(attend(test::split_of(128, 4, 2, 0), false, false));
}
