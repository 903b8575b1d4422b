#include "axelram/interpolate.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "axelram/codewords.hpp"
#include "axelram/group_scale.hpp"
#include "axelram/half.hpp"
#include "axelram/int4.hpp"
#include "axelram/kernels/codes.hpp"
#include "axelram/record.hpp"
#include "check.hpp"
#include "two_parts.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

using Bytes = std::vector<std::uint8_t>;
const std::vector<ErasurePolicy> kPolicies = {ErasurePolicy::keep, ErasurePolicy::zero,
                                              ErasurePolicy::interpolate};

/// Coded records of random keys in which about `errors` of 1000 words are hit hard, several in a
/// row at times, and what golden makes of them.
struct Sequence {
  Code code;
  int d = 0, index_bits = 0;  ///< of records of one part
  std::vector<RecordField> fields;
  TokenRows rows;
  std::size_t bytes, codeword_bytes, codeword_stride, state_bytes;
  Bytes codewords, decoded, statuses;
  DecodeCounts counts;

  Sequence(const std::string& name, int d_, int b, const TokenRows& rows_, std::size_t gap,
           unsigned errors)
      : Sequence(name, record_fields(d_, b), rows_, gap, errors) {
    d = d_;
    index_bits = b;
  }
  Sequence(const std::string& name, std::vector<RecordField> of, const TokenRows& rows_,
           std::size_t gap, unsigned errors)
      : code(make_code(name)),
        fields(std::move(of)),
        rows(rows_),
        bytes(fields.back().end() / 8),
        codeword_bytes(code.codeword_bytes(8 * bytes)),
        codeword_stride((codeword_bytes + 3) / 4 * 4 + gap),
        state_bytes(status_bytes(code.words(8 * bytes))),
        codewords(rows.count() * codeword_stride),
        decoded(rows.count() * bytes),
        statuses(rows.count() * state_bytes) {
    std::mt19937 random(static_cast<unsigned>(bytes) + errors);
    Bytes record(bytes);
    for (std::size_t i = 0; i < rows.count(); ++i) {
      for (std::uint8_t& byte : record) byte = static_cast<std::uint8_t>(random());
      if (i % 3 == 0) record[bytes - 1] = 0x7F;  // a norm beyond 65504 as read
      std::uint8_t* const coded = &codewords[i * codeword_stride];
      encode_bulk_ref(code, record.data(), 8 * bytes, coded);
      for (std::size_t byte = 0; byte < codeword_bytes; ++byte)
        if (random() % 1000 < errors) coded[byte] = static_cast<std::uint8_t>(random());
      counts +=
          decode_bulk_ref(code, coded, 8 * bytes, &decoded[i * bytes], &statuses[i * state_bytes]);
    }
  }

  Bytes repaired(ErasurePolicy policy) const {
    Bytes result(decoded.size());
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const std::size_t token = i / rows.heads % rows.tokens;
      const auto row = [&](bool exists, std::size_t j) {
        return exists ? DecodedRecord{&decoded[j * bytes], &statuses[j * state_bytes]}
                      : DecodedRecord{};
      };
      repair_record_ref(code, policy, fields, row(token > 0, i - rows.heads), row(true, i),
                        row(!rows.each_last && token + 1 < rows.tokens, i + rows.heads),
                        &result[i * bytes]);
    }
    return result;
  }
};

void check_recovery(const Sequence& s) {
  Stream stream;
  const DeviceCode code(stream, s.code);
  const Buffer<std::uint8_t> codewords(stream, s.codewords);
  for (const ErasurePolicy policy : kPolicies) {
    CASE(s.code.name, s.d, s.index_bits, policy);
    const Buffer<std::uint8_t> records(s.decoded.size());
    Buffer<CodeCounts> counts(1);
    counts.fill(stream, 0);
    recover_records(stream, code, policy, s.d, s.index_bits, s.rows, codewords.data(),
                    s.codeword_stride, records.data(), s.bytes, counts.data());
    CHECK_SAME(records.download(stream), s.repaired(policy));
    const CodeCounts c = counts.download(stream)[0];
    CHECK_SAME(DecodeCounts{c.clean, c.corrected, c.parity_only, c.detected}, s.counts);
  }
}

/// Rows as decoded, from buffers that begin `offset` bytes in and have gaps, into others or in
/// place.
void check_repair(const Sequence& s, std::size_t offset, std::size_t gap, std::size_t shift = 0) {
  Stream stream;
  const DeviceCode code(stream, s.code);
  const std::size_t stride = s.bytes + gap;
  const auto spread = [&](const Bytes& rows) {
    Bytes result(offset + s.rows.count() * stride, 0xA5);
    for (std::size_t i = 0; i < s.rows.count(); ++i)
      std::copy_n(&rows[i * s.bytes], s.bytes, &result[offset + i * stride]);
    return result;
  };
  const Buffer<std::uint8_t> statuses(stream, s.statuses);
  for (const ErasurePolicy policy : kPolicies)
    for (const bool in_place : {false, true}) {
      CASE(s.code.name, s.bytes, policy, in_place);
      if (in_place && shift != 0) continue;
      const Buffer<std::uint8_t> decoded(stream, spread(s.decoded));
      const Buffer<std::uint8_t> other(stream, Bytes(decoded.size() + shift, 0xA5));
      const Buffer<std::uint8_t>& repaired = in_place ? decoded : other;
      repair_rows(stream, code, policy, s.fields, s.rows, decoded.data() + offset, stride,
                  statuses.data(), repaired.data() + offset + shift);
      Bytes expected = spread(s.repaired(policy));
      expected.insert(expected.begin(), shift, 0xA5);
      CHECK_SAME(repaired.download(stream), expected);
    }
}

struct Int4Case {
  const char* code;
  Int4Format format;
  std::size_t tokens;
  int d;
  unsigned errors;
};

void check_int4(const Int4Case& c) {
  Stream stream;
  std::mt19937 random(c.errors);
  std::vector<float> x(c.tokens * static_cast<std::size_t>(c.d));
  for (float& value : x) value = static_cast<float>(random() % 4096) / 512 - 3;
  Int4Rows rows = quantize_int4_ref(x.data(), c.tokens, c.d, c.format);
  const DeviceCode code(stream, make_code(c.code));
  Bytes codewords = encode_int4_ref(code.code(), rows);
  for (std::uint8_t& byte : codewords)
    if (random() % 1000 < c.errors) byte = static_cast<std::uint8_t>(random());
  const std::size_t bits = rows.row_bits(), bytes = rows.row_bytes();
  const Buffer<std::uint8_t> stored(stream, codewords), decoded(c.tokens * bytes),
      repaired(decoded.size()), statuses(c.tokens * status_bytes(code.code().words(bits)));
  const Buffer<std::uint16_t> scales(stream, rows.scales), minima(stream, rows.minima);
  decode_rows(stream, code, stored.data(), c.tokens, bits, code.code().codeword_bytes(bits),
              decoded.data(), bytes, statuses.data(), nullptr);
  for (const ErasurePolicy policy : kPolicies) {
    CASE(c.code, c.format.mode, policy);
    repair_int4_rows(stream, code, policy, c.d, {c.format, scales.data(), minima.data()},
                     {1, c.tokens, 1}, decoded.data(), bytes, statuses.data(), repaired.data());
    decode_int4_ref(code.code(), codewords.data(), policy, &rows);
    CHECK_SAME(repaired.download(stream), rows.rows);
  }
}

}  // namespace

TEST_CASE("interpolate: records recovered by tiles equal the references") {
  for (const char* const name : {"hamming74", "hamming84", "golay24"}) {
    CASE(name);
    for (const unsigned errors : {0U, 5U, 500U}) {
      CASE(errors);
      check_recovery({name, 128, 3, {1, 70, 1}, 0, errors});
    }
    for (const int b : {2, 3, 4}) {
      CASE(b);
      check_recovery({name, 32, b, {2, 33, 3}, 4, 60});
    }
  }
  for (const std::size_t tokens : {1, 2, 31, 32, 33, 64}) {
    CASE(tokens);
    check_recovery({"hamming84", 64, 3, {1, tokens, 2}, 8, 100});
  }
  check_recovery({"golay24", 256, 4, {1, 40, 1}, 0, 100});
}

TEST_CASE("interpolate: rows repaired after decoding equal the references") {
  for (const char* const name : {"hamming74", "hamming84", "golay24", "hsiao_22_16", "hsiao_72_64"})
    for (const unsigned errors : {0U, 10U, 300U}) {
      CASE(name, errors);
      check_repair({name, 128, 3, {1, 70, 1}, 0, errors}, 0, 0);
      check_repair({name, 32, 2, {2, 9, 3}, 0, errors}, 0, 6);
      check_repair({name, 64, 4, {3, 5, 1}, 0, errors}, 1, 37);
    }
  check_repair({"hamming84", 32, 3, {1, 1, 1}, 0, 300}, 0, 0);
  check_repair({"hamming84", 32, 1, {2, 600, 2}, 0, 50}, 0, 0);
  check_repair({"golay24", 256, 4, {1, 40, 1}, 0, 100}, 3, 0);
}

TEST_CASE("interpolate: rows of two parts repaired after decoding equal the references") {
  for (const char* const name : {"hamming84", "golay24", "hsiao_72_64"})
    for (const unsigned errors : {10U, 300U})
      for (const int d : {32, 128})
        for (const Parameters& p : test::all_two_parts(d)) {
          CASE(name, errors, d, p);
          if (p.trellis()) continue;  // it is kept
          check_repair({name, record_fields(p), {2, 19, 2}, 0, errors}, 0, 0);
          check_repair({name, record_fields(p), {1, 9, 1}, 0, errors}, 1, 5);
        }
}

TEST_CASE("interpolate: INT4 rows repaired equal the references") {
  for (const char* const name : {"hamming84", "golay24", "hsiao_22_16"})
    for (const Int4Mode mode : {Int4Mode::symmetric, Int4Mode::asymmetric})
      for (const unsigned errors : {20U, 300U}) {
        CASE(name, mode, errors);
        check_int4({name, {mode, Int4Groups::token, 0}, 33, 128, errors});
        check_int4({name, {mode, Int4Groups::token, 16}, 20, 32, errors});
        check_int4({name, {mode, Int4Groups::channel, 0}, 24, 64, errors});
        check_int4({name, {mode, Int4Groups::channel, 8}, 24, 40, errors});
      }
}

TEST_CASE("interpolate: an erased asymmetric value becomes the nearest to zero, ties to even") {
  Stream stream;
  const DeviceCode code(stream, make_code("hamming84"));
  constexpr std::size_t kGroups = 16;
  std::vector<std::uint16_t> scales, minima;
  for (std::size_t i = 0; i < kGroups; ++i) {
    const double minimum = i == 15 ? -1000 : -(static_cast<double>(i) + 0.5) * 0.25;
    minima.push_back(double_to_half(minimum));
    scales.push_back(double_to_half(i == 14 ? 0 : 0.25));
  }
  const Buffer<std::uint8_t> rows(stream, Bytes(kGroups * 4)), states(stream, Bytes(32, 0xFF));
  const Buffer<std::uint16_t> device_scales(stream, scales), device_minima(stream, minima);
  repair_int4_rows(
      stream, code, ErasurePolicy::zero, 128,
      {{Int4Mode::asymmetric, Int4Groups::token, 8}, device_scales.data(), device_minima.data()},
      {1, 1, 1}, rows.data(), 64, states.data(), rows.data());
  const Bytes repaired = rows.download(stream);
  for (std::size_t i = 0; i < kGroups; ++i) {
    const int q = group_steps_ref(0, half_to_double(minima[i]), half_to_double(scales[i]), 15);
    CASE(i);
    CHECK(repaired[4 * i] == 17 * q);
  }
}

TEST_CASE("interpolate: the mean of any two norms") {
  // Two erased tokens apart: token 1 of every sequence of three takes the mean of its neighbours.
  Stream stream;
  const DeviceCode code(stream, make_code("hsiao_22_16"));
  constexpr std::size_t kCount = 3000, kBytes = 8 * 2 / 8 + 2;
  std::mt19937 random(9);
  Bytes decoded(3 * kCount * kBytes), statuses(3 * kCount);
  std::vector<std::uint16_t> expected;
  for (std::size_t i = 0; i < kCount; ++i) {
    std::uint16_t norms[2];
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t at = (3 * i + 2 * side) * kBytes;
      norms[side] = static_cast<std::uint16_t>(random() >> (random() % 16));
      decoded[at + 2] = static_cast<std::uint8_t>(norms[side]);
      decoded[at + 3] = static_cast<std::uint8_t>(norms[side] >> 8);
    }
    statuses[3 * i + 1] = 3 << 2;
    expected.push_back(mean_norm_ref(norms[0], norms[1]));
  }
  const Buffer<std::uint8_t> rows(stream, decoded), states(stream, statuses);
  repair_rows(stream, code, ErasurePolicy::interpolate, record_fields(8, 2), {kCount, 3, 1},
              rows.data(), kBytes, states.data(), rows.data());
  const Bytes repaired = rows.download(stream);
  for (std::size_t i = 0; i < kCount; ++i) {
    CASE(i);
    const std::size_t at = (3 * i + 1) * kBytes + 2;
    REQUIRE(static_cast<std::uint16_t>(repaired[at] | repaired[at + 1] << 8) == expected[i]);
  }
}

TEST_CASE("interpolate: what is rejected") {
  Stream stream;
  const DeviceCode code(stream, make_code("hamming84"));
  const Buffer<std::uint8_t> bytes(1000);
  const auto repair = [&](const std::vector<RecordField>& fields, std::size_t tokens,
                          std::size_t stride) {
    repair_rows(stream, code, ErasurePolicy::zero, fields, {1, tokens, 1}, bytes.data(), stride,
                bytes.data(), bytes.data());
  };
  CHECK_THROWS_WITH(repair(record_fields(32, 3), 2, 13),
                    "repair_rows(hamming84 [1, 2, 1] of 14 bytes): a stride of 13 bytes");
  CHECK_THROWS_AS(repair(record_fields(12, 3), 2, 99), DeviceError);
  CHECK_THROWS_AS(repair(record_fields(4104, 1), 1, 999), DeviceError);
  CHECK_THROWS_AS(repair(std::vector<RecordField>(4), 1, 99), DeviceError);
  CHECK_THROWS_AS(recover_records(stream, code, ErasurePolicy::zero, 32, 3, {1, 2, 1},
                                  bytes.data() + 2, 28, bytes.data(), 14, nullptr),
                  DeviceError);
  repair_rows(stream, code, ErasurePolicy::zero, record_fields(32, 3), {1, 0, 1}, nullptr, 14,
              nullptr, nullptr);
}

TEST_CASE("repair: rows as each was while it was its sequence's last") {
  const TokenRows rows{2, 9, 3, true};
  check_repair(Sequence("golay24", 64, 3, rows, 0, 200), 0, 0);
  check_repair(Sequence("hamming84", 32, 4, rows, 0, 200), 0, 0);
}

TEST_CASE("repair: rows that begin at another place than those they come from") {
  for (const std::size_t shift : {1, 4, 8})
    for (const std::size_t gap : {0, 3}) {
      CASE(shift, gap);
      check_repair(Sequence("golay24", 32, 3, {1, 40, 2}, 0, 100), 5, gap, shift);
    }
}
