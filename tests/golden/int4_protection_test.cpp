#include <cmath>
#include <string>

#include "axelram/half.hpp"
#include "axelram/int4.hpp"
#include "check.hpp"
#include "golden/fields.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

const ErasurePolicy kPolicies[] = {ErasurePolicy::keep, ErasurePolicy::zero,
                                   ErasurePolicy::interpolate};

Floats random_cache(oracle::Rng& rng, std::size_t tokens, int d) {
  Floats x;
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < tokens * static_cast<std::size_t>(d); ++i)
    x.push_back(static_cast<float>(half_to_double(double_to_half(0.25 + normal(rng)))));
  return x;
}

/// Values as decoded, and true for each value of an uncorrectable word; row by row, bit by bit.
struct Decoded4 {
  std::vector<std::vector<int>> q;
  std::vector<std::vector<bool>> lost;
};

Decoded4 decoded_by_rule(const Code& code, const Bytes& codewords, const Int4Rows& shape) {
  Decoded4 result;
  const auto d = static_cast<std::size_t>(shape.d);
  const std::size_t bytes = code.codeword_bytes(4 * d);
  for (std::size_t t = 0; t < shape.tokens; ++t) {
    Bytes row(d / 2), statuses(status_bytes(code.words(4 * d)));
    decode_bulk_ref(code, &codewords[t * bytes], 4 * d, row.data(), statuses.data());
    std::vector<int> q(d);
    std::vector<bool> lost(d);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t bit = 4 * i; bit < 4 * i + 4; ++bit) {
        q[i] |= (row[bit / 8] >> (bit % 8) & 1) << (bit % 4);
        if (status_at(statuses.data(), bit / static_cast<std::size_t>(code.k)) ==
            WordStatus::detected)
          lost[i] = true;
      }
      if (shape.format.mode == Int4Mode::symmetric && q[i] > 7) q[i] -= 16;
    }
    result.q.push_back(q);
    result.lost.push_back(lost);
  }
  return result;
}

/// q with the value nearest to zero, by trying all sixteen; of two equally near the even one.
int nearest_to_zero(const Int4Rows& rows, std::size_t token, int channel) {
  const std::size_t group = rows.group_of(token, channel);
  int best = 0;
  const auto distance = [&](int q) {
    return std::abs(half_to_double(rows.minima[group]) + q * half_to_double(rows.scales[group]));
  };
  for (int q = 1; q < 16; ++q)
    if (distance(q) < distance(best) ||
        (distance(q) == distance(best) && q % 2 == 0 && best % 2 != 0))
      best = q;
  return best;
}

int repaired_by_rule(const Decoded4& decoded, const Int4Rows& rows, ErasurePolicy policy,
                     std::size_t t, std::size_t i) {
  const int kept = decoded.q[t][i];
  if (policy == ErasurePolicy::keep || !decoded.lost[t][i]) return kept;
  if (policy == ErasurePolicy::zero)
    return rows.format.mode == Int4Mode::symmetric ? 0
                                                   : nearest_to_zero(rows, t, static_cast<int>(i));
  std::vector<int> neighbours;
  for (const std::size_t other : {t - 1, t + 1})
    if (other < decoded.q.size() && !decoded.lost[other][i])
      neighbours.push_back(decoded.q[other][i]);
  if (neighbours.empty()) return kept;
  return static_cast<int>(std::nearbyint((neighbours.front() + neighbours.back()) / 2.0));
}

}  // namespace

TEST_CASE("rows are coded one by one and come back, up to t hits in every word or none") {
  oracle::Rng rng(61);
  for (const char* name : {"hamming74", "hamming84", "golay24", "hsiao_72_64"}) {
    CASE(name);
    const Code code = make_code(name);
    const Floats x = random_cache(rng, 3, 128);
    const Int4Rows rows = quantize_int4_ref(x.data(), 3, 128, {});
    Bytes codewords = encode_int4_ref(code, rows);
    const std::size_t bytes = code.codeword_bytes(512);
    REQUIRE(codewords.size() == 3 * bytes);
    for (std::size_t t = 0; t < 3; ++t) {
      CASE(t);
      Bytes one(bytes);
      encode_bulk_ref(code, &rows.rows[t * 64], 512, one.data());
      CHECK_SAME(one, std::span(codewords).subspan(t * bytes, bytes));
      for (std::size_t word = 0; word < code.words(512); ++word)
        for (int hit = 0; hit < code.correctable; ++hit) {
          const std::size_t bit = word * static_cast<std::size_t>(code.n) +
                                  static_cast<std::size_t>(oracle::uniform(rng, 0, code.n - 1));
          std::uint8_t& byte = codewords[t * bytes + bit / 8];
          byte = static_cast<std::uint8_t>(byte ^ 1U << (bit % 8));
        }
    }
    Int4Rows read = rows;
    read.rows.assign(read.rows.size(), 0);
    const DecodeCounts counts =
        decode_int4_ref(code, codewords.data(), ErasurePolicy::interpolate, &read);
    CHECK_SAME(read.rows, rows.rows);
    CHECK(counts.detected == 0);
    CHECK(counts.clean + counts.corrected + counts.parity_only == 3 * code.words(512));
    CHECK(counts.corrected > 0);
  }
}

TEST_CASE("each row meets the mask of its own token") {
  FaultSite site{.seed = 9, .token = 100, .layer = 3};
  Bytes stored(3 * 13, 0x55);
  const std::uint64_t threshold = std::uint64_t{1} << 30;
  corrupt_rows_ref(site, threshold, 3, 100, stored.data());
  for (std::uint32_t row = 0; row < 3; ++row) {
    CASE(row);
    Bytes mask(13);
    site.token = 100 + row;
    fault_mask_ref(site, 100, threshold, mask.data());
    for (std::size_t i = 0; i < 13; ++i) CHECK_AT(i, stored[13 * row + i] == (mask[i] ^ 0x55));
  }
}

TEST_CASE("quantize, encode, corrupt, decode, repair, dequantize: every value by the rules") {
  oracle::Rng rng(62);
  const std::uint64_t threshold = fault_threshold(0.05);
  const std::size_t tokens = 12;
  const int d = 32;
  for (const char* name : {"hamming74", "hamming84", "golay24", "hsiao_22_16"})
    for (const Int4Mode mode : {Int4Mode::symmetric, Int4Mode::asymmetric})
      for (const Int4Groups groups : {Int4Groups::token, Int4Groups::channel}) {
        CASE(name, mode, groups);
        const Code code = make_code(name);
        const Floats x = random_cache(rng, tokens, d);
        const Int4Rows rows = quantize_int4_ref(x.data(), tokens, d, {mode, groups, 4});
        Bytes codewords = encode_int4_ref(code, rows);
        FaultSite site{.seed = rng()};
        corrupt_rows_ref(site, threshold, tokens,
                         code.words(128) * static_cast<std::size_t>(code.n), codewords.data());
        const Decoded4 decoded = decoded_by_rule(code, codewords, rows);
        for (const ErasurePolicy policy : kPolicies) {
          CASE(policy);
          Int4Rows read = rows;
          const DecodeCounts counts = decode_int4_ref(code, codewords.data(), policy, &read);
          CHECK((counts.detected != 0) == (std::string(name) != "hamming74"));
          CHECK_SAME(read.scales, rows.scales);
          CHECK_SAME(read.minima, rows.minima);
          Floats y(x.size());
          dequantize_int4_ref(read, y.data());
          for (std::size_t t = 0; t < tokens; ++t)
            for (std::size_t i = 0; i < d; ++i) {
              CASE(t, i);
              const int q = repaired_by_rule(decoded, rows, policy, t, i);
              REQUIRE(read.value(t, static_cast<int>(i)) == q);
              const std::size_t group = groups == Int4Groups::token ? t * 8 + i / 4 : t / 4 * d + i;
              const double minimum = rows.minima.empty() ? 0 : half_to_double(rows.minima[group]);
              REQUIRE(y[t * d + i] ==
                      static_cast<float>(minimum + q * half_to_double(rows.scales[group])));
            }
        }
      }
}

TEST_CASE("signs count in the mean; minus eight is a neighbour like any other") {
  const Code code = make_code("hamming84");  // a value is a word, a byte
  Int4Rows rows;
  rows.tokens = 3;
  rows.d = 2;
  rows.scales = {0x3C00, 0x3C00, 0x3C00};
  rows.rows = {0x18, 0x77, 0x1B};  // channel 0: -8, 7, -5
  Bytes codewords = encode_int4_ref(code, rows);
  codewords[2] ^= 0x11;
  Int4Rows read = rows;
  CHECK(decode_int4_ref(code, codewords.data(), ErasurePolicy::interpolate, &read).detected == 1);
  CHECK(read.value(1, 0) == -6);  // -6.5
  CHECK(read.value(1, 1) == 7);
  codewords[4] ^= 0x11;  // token 2 as well: token 0 stands in for 1, and token 1 is no help to 2
  decode_int4_ref(code, codewords.data(), ErasurePolicy::interpolate, &read);
  CHECK(read.value(1, 0) == -8);
  CHECK(read.value(2, 0) == (0xB ^ 1) - 16);
  Floats x(6);
  dequantize_int4_ref(read, x.data());
  CHECK(x[2] == -8.0F);
  decode_int4_ref(code, codewords.data(), ErasurePolicy::zero, &read);
  CHECK(read.value(1, 0) == 0);
  CHECK(read.value(2, 0) == 0);
}

TEST_CASE("asymmetric zero is the value that decodes nearest to zero") {
  const Code code = make_code("hamming84");
  const auto erased = [&](std::uint16_t minimum, std::uint16_t scale) {
    Int4Rows rows;
    rows.format.mode = Int4Mode::asymmetric;
    rows.tokens = 1;
    rows.d = 2;
    rows.minima = {minimum};
    rows.scales = {scale};
    rows.rows = {0x99};
    Bytes codewords = encode_int4_ref(code, rows);
    codewords[0] ^= 0x03;
    decode_int4_ref(code, codewords.data(), ErasurePolicy::zero, &rows);
    CHECK(rows.value(0, 1) == 9);
    return rows.value(0, 0);
  };
  CHECK(erased(0xC500, 0x3C00) == 5);   // -5 + 5
  CHECK(erased(0xC4C0, 0x3C00) == 5);   // -4.75
  CHECK(erased(0xC480, 0x3C00) == 4);   // -4.5, a tie
  CHECK(erased(0x3C00, 0x3C00) == 0);   // all above zero
  CHECK(erased(0xFBFF, 0x3C00) == 15);  // all below
  CHECK(erased(0xC500, 0) == 0);
}

TEST_CASE("a single token has nothing to interpolate from; no tokens, nothing to do") {
  const Code code = make_code("hamming84");
  const Floats x = {1, -2, 3, -4};
  const Int4Rows rows = quantize_int4_ref(x.data(), 1, 4, {});
  Bytes codewords = encode_int4_ref(code, rows);
  codewords[1] ^= 0x06;
  Int4Rows read = rows;
  decode_int4_ref(code, codewords.data(), ErasurePolicy::interpolate, &read);
  CHECK(read.value(0, 1) == ((rows.value(0, 1) & 15) ^ 6) - 16);
  CHECK(read.value(0, 0) == rows.value(0, 0));
  Int4Rows none = quantize_int4_ref(nullptr, 0, 4, {});
  CHECK(encode_int4_ref(code, none).empty());
  CHECK_SAME(decode_int4_ref(code, nullptr, ErasurePolicy::zero, &none), DecodeCounts{});
}
