#include "axelram/interpolate.hpp"

#include <cmath>
#include <optional>

#include "axelram/record.hpp"
#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// A record taken apart: d indices, then the norm.
struct Parts {
  std::vector<std::uint8_t> indices;
  std::uint16_t norm = 0;
};

Parts unpacked(const Bytes& record, int d, int b) {
  Parts parts{std::vector<std::uint8_t>(static_cast<std::size_t>(d)), 0};
  unpack_record_ref(record.data(), d, b, parts.indices.data(), &parts.norm);
  return parts;
}

Bytes packed(const Parts& parts, int b) {
  const int d = static_cast<int>(parts.indices.size());
  Bytes record(static_cast<std::size_t>(record_bytes(d, b)));
  pack_record_ref(parts.indices.data(), parts.norm, d, b, record.data());
  return record;
}

/// One stored record as decoded: its bytes and what was said of each word.
struct Stored {
  Bytes record;
  std::vector<WordStatus> words;

  /// From bit to bit, by the definition: a bit is lost with the word that it was cut into.
  bool lost(int first, int count, int k) const {
    for (int bit = first; bit < first + count; ++bit)
      if (words[static_cast<std::size_t>(bit / k)] == WordStatus::detected) return true;
    return false;
  }
  Bytes statuses() const {
    Bytes bytes(status_bytes(words.size()));
    for (std::size_t j = 0; j < words.size(); ++j)
      bytes[j / 4] = static_cast<std::uint8_t>(bytes[j / 4] | static_cast<unsigned>(words[j])
                                                                  << (2 * (j % 4)));
    return bytes;
  }
};

/// Largest magnitude 65504, ties to even, by search among all FP16 values.
std::uint16_t mean_of_norms(std::uint16_t a, std::uint16_t b) {
  const double mean = (oracle::norm_value(a) + oracle::norm_value(b)) / 2;
  return std::min<std::uint16_t>(oracle::nearest_code(mean, ElementFormat::fp16), 0x7BFF);
}

using Sequence = std::vector<Stored>;

/// The rules of the contract, element by element, for record t of a sequence.
Bytes repaired_by_rule(const Sequence& s, std::size_t t, ErasurePolicy policy, int d, int b,
                       int k) {
  Parts result = unpacked(s[t].record, d, b);
  const auto neighbour = [&](std::size_t i, int first, int count) -> std::optional<Parts> {
    if (i >= s.size() || s[i].lost(first, count, k)) return std::nullopt;  // also i = -1
    return unpacked(s[i].record, d, b);
  };
  for (int e = 0; e <= d; ++e) {
    const bool norm = e == d;
    const int first = e * b, count = norm ? 16 : b;
    if (policy == ErasurePolicy::keep || !s[t].lost(first, count, k)) continue;
    const auto i = static_cast<std::size_t>(e);
    if (policy == ErasurePolicy::zero) {
      if (norm)
        result.norm = 0;
      else
        result.indices[i] = static_cast<std::uint8_t>(1 << (b - 1));
      continue;
    }
    const std::optional<Parts> left = neighbour(t - 1, first, count);
    const std::optional<Parts> right = neighbour(t + 1, first, count);
    if (!left && !right) continue;
    const Parts& low = left ? *left : *right;
    const Parts& high = right ? *right : *left;
    const bool one = !left || !right;
    if (norm)
      result.norm = one ? low.norm : mean_of_norms(low.norm, high.norm);
    else
      result.indices[i] = static_cast<std::uint8_t>(
          std::nearbyint((low.indices[i] + high.indices[i]) / 2.0));  // ties to even
  }
  return packed(result, b);
}

Bytes repaired(const Code& code, const Sequence& s, std::size_t t, ErasurePolicy policy, int d,
               int b) {
  std::vector<Bytes> statuses;
  for (const Stored& stored : s) statuses.push_back(stored.statuses());
  const auto at = [&](std::size_t i) {
    return i < s.size() ? DecodedRecord{s[i].record.data(), statuses[i].data()} : DecodedRecord{};
  };
  Bytes result(s[t].record.size() + 1, 0xA5);
  repair_record_ref(code, policy, record_fields(d, b), at(t - 1), at(t), at(t + 1), result.data());
  CHECK(result.back() == 0xA5);
  result.pop_back();
  return result;
}

Stored random_stored(oracle::Rng& rng, const Code& code, int d, int b, int lost_percent) {
  Stored stored{Bytes(static_cast<std::size_t>(record_bytes(d, b))), {}};
  for (std::uint8_t& byte : stored.record) byte = static_cast<std::uint8_t>(rng());
  stored.words.resize(code.words(8 * stored.record.size()));
  for (WordStatus& status : stored.words)
    status = oracle::uniform(rng, 0, 99) < lost_percent
                 ? WordStatus::detected
                 : static_cast<WordStatus>(oracle::uniform(rng, 0, 2));
  return stored;
}

}  // namespace

TEST_CASE("mean of two indices or INT4 values: to nearest, ties to even, of either sign") {
  for (int a = -8; a < 16; ++a)
    for (int b = -8; b < 16; ++b) {
      CASE(a, b);
      CHECK(mean_ref(a, b) == std::nearbyint((a + b) / 2.0));
    }
  CHECK(mean_ref(2, 3) == 2);
  CHECK(mean_ref(3, 4) == 4);
  CHECK(mean_ref(-3, -4) == -4);
  CHECK(mean_ref(-1, 0) == 0);
}

TEST_CASE("mean of two norms: exact, then one rounding to FP16") {
  CHECK(mean_norm_ref(0, 0) == 0);
  CHECK(mean_norm_ref(0x3C00, 0x3C00) == 0x3C00);
  CHECK(mean_norm_ref(0x3C00, 0x3C01) == 0x3C00);  // ties to even
  CHECK(mean_norm_ref(0x3C01, 0x3C02) == 0x3C02);
  CHECK(mean_norm_ref(0x0000, 0x0001) == 0);  // half of the smallest subnormal
  CHECK(mean_norm_ref(0x0001, 0x0002) == 2);
  CHECK(mean_norm_ref(0x03FF, 0x0400) == 0x0400);  // from the subnormals into the normals
  CHECK(mean_norm_ref(0x7BFF, 0x7BFF) == 0x7BFF);
  CHECK(mean_norm_ref(0x7BFF, 0x7C00) == 0x7BFF);  // 65520 is above 65504
  CHECK(mean_norm_ref(0x7FFF, 0x7FFF) == 0x7BFF);  // 131008: field 31 is an ordinary binade
  CHECK(mean_norm_ref(0x7C00, 0x0000) == 0x7800);  // 65536 / 2
  CHECK(mean_norm_ref(0x7FFF, 0x0000) == 0x7BFF);  // 65504
  CHECK(mean_norm_ref(0xBC00, 0x3C00) == 0x3C00);  // bit 15 is ignored
  CHECK(mean_norm_ref(0xBC00, 0xBC00) == 0x3C00);
}

TEST_CASE("mean of norms of any bits, against search among all FP16 values") {
  oracle::Rng rng(31);
  for (int trial = 0; trial < 200000; ++trial) {
    const auto a = static_cast<std::uint16_t>(rng());
    const int distance = 1 << oracle::uniform(rng, 0, 16);
    const auto b = static_cast<std::uint16_t>(a + oracle::uniform(rng, -distance, distance));
    CASE(trial, a, b);
    REQUIRE(mean_norm_ref(a, b) == mean_of_norms(a, b));
    REQUIRE(mean_norm_ref(b, a) == mean_norm_ref(a, b));
  }
}

TEST_CASE("an element is erased with any word that has one of its bits") {
  const Code code = make_code("hamming84");  // words of four bits, three-bit indices
  Stored stored{{}, std::vector<WordStatus>(100, WordStatus::corrected)};
  stored.words[1] = WordStatus::detected;  // bits 4..7: index 1 (3..5) and index 2 (6..8)
  const Bytes statuses = stored.statuses();
  const bool expected[] = {false, true, true, false};
  for (int i = 0; i < 4; ++i)
    CHECK_AT(i,
             erased_ref(code, statuses.data(), static_cast<std::size_t>(3 * i), 3) == expected[i]);
  CHECK_FALSE(erased_ref(code, statuses.data(), 0, 4));
  CHECK(erased_ref(code, statuses.data(), 0, 5));
  CHECK(erased_ref(code, statuses.data(), 7, 1));
  CHECK(erased_ref(code, statuses.data(), 0, 16));
  CHECK_FALSE(erased_ref(code, statuses.data(), 8, 16));
}

TEST_CASE("repair follows the rules on sequences of any records and statuses") {
  oracle::Rng rng(32);
  for (const char* name : {"hamming74", "hamming84", "golay24", "hsiao_22_16", "hsiao_72_64"}) {
    CASE(name);
    const Code code = make_code(name);
    for (const int b : {2, 3, 4})
      for (const int lost_percent : {0, 5, 50, 100})
        for (int length = 1; length <= 5; ++length) {
          CASE(b, lost_percent, length);
          const int d = 32 << oracle::uniform(rng, 0, 2);
          Sequence sequence;
          for (int t = 0; t < length; ++t)
            sequence.push_back(random_stored(rng, code, d, b, lost_percent));
          for (std::size_t t = 0; t < sequence.size(); ++t)
            for (const ErasurePolicy policy :
                 {ErasurePolicy::keep, ErasurePolicy::zero, ErasurePolicy::interpolate}) {
              CASE(t, policy);
              REQUIRE_SAME(repaired(code, sequence, t, policy, d, b),
                           repaired_by_rule(sequence, t, policy, d, b, code.k));
            }
        }
  }
}

TEST_CASE("interpolation by hand: ends, erased neighbours, neighbours as decoded") {
  const Code code = make_code("hamming84");
  const int d = 32, b = 4;  // an index is a word
  const auto record = [&](std::uint8_t first, std::uint16_t norm, bool lost) {
    Parts parts{std::vector<std::uint8_t>(32, 5), norm};
    parts.indices[0] = first;
    Stored stored{packed(parts, b), std::vector<WordStatus>(36, WordStatus::clean)};
    if (lost) stored.words[0] = stored.words[35] = WordStatus::detected;  // index 0 and the norm
    return stored;
  };
  const auto first = [&](const Sequence& s, std::size_t t) {
    return unpacked(repaired(code, s, t, ErasurePolicy::interpolate, d, b), d, b);
  };
  const Sequence inside = {record(3, 0x3C00, false), record(15, 0, true), record(8, 0x4000, false)};
  CHECK(first(inside, 1).indices[0] == 6);  // 5.5
  CHECK(first(inside, 1).indices[1] == 5);
  CHECK(first(inside, 1).norm == 0x3E00);
  CHECK(first(inside, 0).indices[0] == 3);
  const Sequence ends = {record(15, 0, true), record(8, 0xFC01, false), record(14, 1, true)};
  CHECK(first(ends, 0).indices[0] == 8);
  CHECK(first(ends, 0).norm == 0xFC01);  // a single neighbour's bits, all sixteen
  CHECK(first(ends, 2).indices[0] == 8);
  const Sequence pair = {record(1, 1, false), record(15, 2, true), record(13, 3, true),
                         record(9, 4, false)};
  CHECK(first(pair, 1).indices[0] == 1);  // never 13, nor what 13 becomes
  CHECK(first(pair, 2).indices[0] == 9);
  const Sequence three = {record(12, 1, true), record(13, 2, true), record(14, 3, true)};
  for (std::size_t t = 0; t < 3; ++t) CHECK_AT(t, first(three, t).indices[0] == 12 + t);
  CHECK(first({record(11, 7, true)}, 0).norm == 7);
}
