#include "attention_case.hpp"
#include "check.hpp"

using axelram::ErasurePolicy;
using test::AttentionCase;

namespace {

/// A function, of anything, that draws rows of d elements of N(0, 1).
auto normal_rows(int d, std::mt19937_64& random) {
  return [d, &random](auto...) {
    std::normal_distribution<double> normal;
    std::vector<double> x(static_cast<std::size_t>(d));
    for (double& e : x) e = normal(random);
    return x;
  };
}

AttentionCase coded_case(axelram::kernels::Stream& stream, const axelram::Code& code, int d,
                         int bits, bool record_values, const std::vector<std::int32_t>& lengths) {
  AttentionCase c(stream, 3, 2, test::parameters_of(d, bits), true, test::parameters_of(d, bits),
                  record_values, 64, lengths, 11, &code);
  std::mt19937_64 random(12);
  const auto row = normal_rows(d, random);
  c.fill(lengths, row, row);
  // Every third token is as written, the others have few errors or many.
  for (std::size_t i = 0; i < lengths.size(); ++i)
    for (std::int32_t t = 0; t < lengths[i]; ++t)
      for (std::int32_t head = 0; head < 2; ++head) {
        const double p = t % 3 == 0 ? 0 : t % 3 == 1 ? 0.01 : 0.1;
        c.keys.flip(static_cast<std::int32_t>(i), t, head, p, random);
        if (record_values) c.values.flip(static_cast<std::int32_t>(i), t, head, p, random);
      }
  for (const std::int32_t visible : {lengths[0], 33, 32, 2, 1, 0}) c.ask(0, visible, row);
  c.ask(1, lengths[1], row);
  return c;
}

/// Expected counts: the words of every visible token, once per query and KV head.
axelram::DecodeCounts expected_counts(AttentionCase& c) {
  axelram::DecodeCounts counts;
  for (std::size_t i = 0; i < c.sequence.size(); ++i)
    for (std::int32_t t = 0; t < c.visible[i]; ++t)
      for (std::int32_t head = 0; head < c.shape.heads; ++head)
        for (test::CacheSide* side : {&c.keys, &c.values})
          if (side->code != nullptr) counts += side->decode(c.sequence[i], t, head).counts;
  return counts;
}

void check_coded(AttentionCase& c) {
  for (const ErasurePolicy policy :
       {ErasurePolicy::keep, ErasurePolicy::zero, ErasurePolicy::interpolate}) {
    CASE(static_cast<int>(policy));
    c.policy = policy;
    CHECK(test::worst_error(c.attend(2), c.reference(), c.shape.head_dim) < 1e-3);
    CHECK(c.fast);
  }
  const axelram::DecodeCounts expected = expected_counts(c);
  CHECK(c.counts.clean == expected.clean);
  CHECK(c.counts.corrected == expected.corrected);
  CHECK(c.counts.parity_only == expected.parity_only);
  CHECK(c.counts.detected == expected.detected);
}

}  // namespace

TEST_CASE("attention: codewords of every code, repaired by every policy as golden does") {
  axelram::kernels::Stream stream;
  for (const char* name : {"hamming74", "hamming84", "golay24"}) {
    CASE(name);
    const axelram::Code code = axelram::make_code(name);
    for (const int bits : {2, 3, 4}) {
      CASE(bits);
      AttentionCase c = coded_case(stream, code, bits == 3 ? 128 : 64, bits, true, {70, 9});
      check_coded(c);
    }
  }
}

TEST_CASE("attention: a query that sees one token returns its value, each error corrected") {
  axelram::kernels::Stream stream;
  const std::vector<std::int32_t> lengths(40, 1);
  for (const char* name : {"hamming74", "hamming84", "golay24"}) {
    CASE(name);
    const axelram::Code code = axelram::make_code(name);
    for (const int bits : {2, 3, 4}) {
      CASE(bits);
      const int d = bits == 2 ? 64 : 128;
      AttentionCase c(stream, 3, 2, test::parameters_of(d, bits), true,
                      test::parameters_of(d, bits), true, 64, lengths, 21, &code);
      std::mt19937_64 random(22);
      const auto row = normal_rows(d, random);
      c.fill(lengths, row, row);
      for (std::int32_t sequence = 0; sequence < 40; ++sequence) {
        for (std::int32_t head = 0; head < 2; ++head)
          c.values.flip(sequence, 0, head, 0.02, random);
        c.ask(sequence, 1, row);
      }
      check_coded(c);
    }
  }
}

TEST_CASE("attention: coded keys with FP16 values") {
  axelram::kernels::Stream stream;
  for (const char* name : {"hamming74", "hamming84", "golay24"}) {
    CASE(name);
    const axelram::Code code = axelram::make_code(name);
    AttentionCase c = coded_case(stream, code, 64, 3, false, {70, 9});
    check_coded(c);
  }
}

TEST_CASE("attention: codewords without a kernel are rejected") {
  axelram::kernels::Stream stream;
  const axelram::Code code = axelram::make_code("hsiao_39_32");
  AttentionCase c(stream, 1, 1, test::parameters_of(64, 3), true, test::parameters_of(64, 3), true,
                  32, {5}, 1, &code);
  c.ask(0, 5, [](std::int32_t) { return std::vector<double>(64, 1.0); });
  CHECK_THROWS_WITH_AS(c.attend(0), doctest::Contains("must be decoded first"),
                       axelram::kernels::DeviceError);
}
