#include "attention_case.hpp"
#include "attention_fill.hpp"
#include "check.hpp"
#include "golden_scores.hpp"

using test::AttentionCase;

namespace {

/// Every third record of a side becomes one of any bits, with a norm of ordinary size.
void put_any_records(test::CacheSide& side, const std::vector<std::int32_t>& lengths,
                     std::uint64_t seed) {
  if (!side.records) return;
  const auto bytes = static_cast<std::size_t>(side.parameters.record_bytes());
  for (std::size_t s = 0; s < lengths.size(); ++s)
    for (std::int32_t head = 0; head < side.cache.pages.heads; ++head) {
      const std::vector<std::uint8_t> records = test::records_of_every_kind(
          side.parameters, static_cast<std::size_t>(lengths[s]), ++seed);
      for (std::int32_t t = 0; t < lengths[s]; ++t) {
        if (t % 3 != 1) continue;
        const auto sequence = static_cast<std::int32_t>(s);
        side.put(sequence, t, head, records.data() + static_cast<std::size_t>(t) * bytes);
        side.set_norm(sequence, t, head, static_cast<std::uint16_t>(0x3C00 + 64 * (t % 8)));
      }
    }
}

AttentionCase make_case(axelram::kernels::Stream& stream, const axelram::Parameters& keys,
                        bool key_records, const axelram::Parameters& values, bool value_records,
                        int heads, int group, const std::vector<std::int32_t>& lengths) {
  AttentionCase c(stream, group, heads, keys, key_records, values, value_records, 64, lengths, 7);
  test::fill_random(c, lengths, 1);
  put_any_records(c.keys, lengths, 100);
  put_any_records(c.values, lengths, 200);
  return c;
}

}  // namespace

TEST_CASE("attention: records of a trellis, keys and values, ragged") {
  axelram::kernels::Stream stream;
  for (const int states : {4, 8, 16})
    for (const int d : {64, 128})
      for (const int bits : {2, 3, 4}) {
        const axelram::Parameters p = test::with_trellis(test::parameters_of(d, bits), states);
        for (const auto& [keys, values] : {std::pair(true, true), {true, false}, {false, true}}) {
          CASE(states, d, bits, keys, values);
          const std::vector<std::int32_t> lengths = {70, 33};
          AttentionCase c = make_case(stream, p, keys, p, values, 2, 2, lengths);
          std::uint64_t seed = 10;
          for (const std::int32_t visible : {0, 1, 33, 70}) test::ask_random(c, 0, visible, ++seed);
          test::ask_random(c, 1, 32, ++seed);
          const std::vector<double> reference = c.reference();
          CHECK(test::worst_error(c.attend(2), reference, d) < 1e-3);
          CHECK(c.fast);
        }
      }
}

TEST_CASE("attention: a trellis of one query token, whose weight is that of one value") {
  // A single visible token: the result is its value, to the last bits of FP16.
  axelram::kernels::Stream stream;
  for (const int states : {4, 8, 16})
    for (const int d : {64, 128}) {
      CASE(states, d);
      const axelram::Parameters p = test::with_trellis(test::parameters_of(d, 3), states);
      const std::vector<std::int32_t> lengths(12, 1);
      AttentionCase c = make_case(stream, p, true, p, true, 1, 1, lengths);
      const auto bytes = static_cast<std::size_t>(p.record_bytes());
      for (std::int32_t s = 0; s < 12; ++s) {
        std::vector<std::uint8_t> record(bytes);
        const int bit = (s * 5 + 6) % d * p.index_bits;  // near multiples of 8, and far from them
        record[static_cast<std::size_t>(bit / 8)] = static_cast<std::uint8_t>(1 << bit % 8);
        c.values.put(s, 0, 0, record.data());
        c.values.set_norm(s, 0, 0, 0x3C00);
        test::ask_random(c, s, 1, static_cast<std::uint64_t>(s));
      }
      CHECK(test::worst_error(c.attend(1), c.reference(), d) < 1e-3);
      CHECK(c.fast);
    }
}

TEST_CASE("attention: the general kernel takes a trellis of all parameters") {
  axelram::kernels::Stream stream;
  for (const int d : {32, 64, 128, 256})
    for (const int states : {4, 8, 16}) {
      CASE(d, states);
      axelram::Parameters keys = test::with_trellis(test::parameters_of(d, 4), states);
      axelram::Parameters values =
          test::with_trellis(test::parameters_of(d, 2), states == 4 ? 16 : 4);
      keys.query_bits = keys.centroid_bits = values.centroid_bits = 12;
      const std::vector<std::int32_t> lengths = {45};
      AttentionCase c = make_case(stream, keys, true, values, true, 2, 3, lengths);
      for (const std::int32_t visible : {0, 1, 45}) test::ask_random(c, 0, visible, 60);
      CHECK(test::worst_error(c.attend(0), c.reference(), d) < 1e-3);
      CHECK(!c.fast);
      CHECK(test::worst_error(c.attend(0, true), c.reference(), d) < 1e-5);
    }
}

TEST_CASE("attention: a trellis in keys alone, and in codewords") {
  axelram::kernels::Stream stream;
  const axelram::Parameters trellis = test::with_trellis(test::parameters_of(64, 3), 8);
  const axelram::Parameters plain = test::parameters_of(64, 3);
  const std::vector<std::int32_t> lengths = {40};
  for (const bool keys : {true, false}) {
    CASE(keys);
    AttentionCase c = make_case(stream, keys ? trellis : plain, true, keys ? plain : trellis, true,
                                1, 2, lengths);
    test::ask_random(c, 0, 40, 61);
    CHECK(test::worst_error(c.attend(0), c.reference(), 64) < 1e-3);
    CHECK(!c.fast);
  }
  const axelram::Code code = axelram::make_code("hamming84");
  AttentionCase coded(stream, 1, 1, trellis, true, trellis, true, 64, lengths, 7, &code);
  test::fill_random(coded, lengths, 1);
  test::ask_random(coded, 0, 40, 62);
  CHECK_THROWS_WITH_AS(coded.attend(0), doctest::Contains("must be decoded first"),
                       axelram::kernels::DeviceError);
}
