#include "axelram/fast_codes.hpp"

#include <random>
#include <string>
#include <vector>

#include "axelram/fast_fault.hpp"
#include "axelram/philox.hpp"
#include "check.hpp"
#include "fast_inputs.hpp"
#include "golden/code_examples.hpp"
#include "guarded_bytes.hpp"

using namespace axelram;
using namespace fast_test;

namespace {

using Bytes = std::vector<std::uint8_t>;

const std::vector<Code>& codes() {
  static const std::vector<Code> all = [] {
    std::vector<Code> made;
    for (const std::string& name : code_examples()) made.push_back(make_code(name));
    for (const char* name :
         {"hsiao_8_4", "hsiao_24_12", "hsiao_76_64", "hsiao_67_58", "hsiao_4_1", "hsiao_13_8"})
      made.push_back(make_code(name));
    return made;
  }();
  return all;
}

/// Runs check(code, level, bulk) for every code on every level.
template <typename Check>
void for_each_bulk(Check check) {
  for (const Code& code : codes())
    for (const SimdLevel level : fast_test::levels()) {
      CASE(code.name, level);
      check(code, BulkCode(code, level));
    }
}

Bytes random_bytes(Random& random, std::size_t count) {
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() & 0xFF);
  return bytes;
}

void flip_bits(Random& random, double p, Bytes* bytes) {
  std::bernoulli_distribution hit(p);
  for (std::uint8_t& byte : *bytes)
    for (int bit = 0; bit < 8; ++bit)
      if (hit(random)) byte = static_cast<std::uint8_t>(byte ^ 1U << bit);
}

/// Codewords of random data, with errors; bits behind the last codeword too, which do not count.
Bytes noisy_codewords(Random& random, const Code& code, std::size_t bits, double p) {
  Bytes codewords(code.codeword_bytes(bits));
  BulkCode(code, SimdLevel::portable)
      .encode(random_bytes(random, (bits + 7) / 8).data(), bits, codewords.data());
  flip_bits(random, p, &codewords);
  return codewords;
}

std::uint8_t* writable(const GuardedBytes& bytes) {
  return const_cast<std::uint8_t*>(bytes.data());
}

/// Memory that ends at a page that must not be touched, and starts behind bytes that must not
/// change.
class Output {
 public:
  explicit Output(const Bytes& content)
      : size_(content.size()), bytes_(framed(content)), before_(Bytes(kFrame, kMark)) {}
  std::uint8_t* data() { return writable(bytes_) + kFrame; }
  Bytes content() { return Bytes(data(), data() + size_); }
  bool frame_holds() { return Bytes(data() - kFrame, data()) == before_; }

 private:
  static constexpr std::size_t kFrame = 64;
  static constexpr std::uint8_t kMark = 0xA5;
  static Bytes framed(const Bytes& content) {
    Bytes bytes(kFrame, kMark);
    bytes.insert(bytes.end(), content.begin(), content.end());
    return bytes;
  }
  std::size_t size_;
  GuardedBytes bytes_;
  Bytes before_;
};

void check_encode(const Code& code, const BulkCode& bulk, const Bytes& data, std::size_t bits) {
  const std::size_t size = code.codeword_bytes(bits);
  Bytes expected(size);
  encode_bulk_ref(code, data.data(), bits, expected.data());
  const GuardedBytes in(data);
  Output out(Bytes(size, 0xFF));
  bulk.encode(in.data(), bits, out.data());
  CHECK_SAME(out.content(), expected);
  CHECK(out.frame_holds());
}

void check_decode(const Code& code, const BulkCode& bulk, const Bytes& codewords,
                  std::size_t bits) {
  Bytes expected((bits + 7) / 8);
  Bytes expected_statuses(status_bytes(code.words(bits)));
  const DecodeCounts counts =
      decode_bulk_ref(code, codewords.data(), bits, expected.data(), expected_statuses.data());
  const GuardedBytes in(codewords);
  Output data(Bytes(expected.size(), 0xFF));
  Output statuses(Bytes(expected_statuses.size(), 0xFF));
  const bool equal = bulk.decode(in.data(), bits, data.data(), statuses.data()) == counts;
  CHECK(equal);
  CHECK_SAME(data.content(), expected);
  CHECK_SAME(statuses.content(), expected_statuses);
  CHECK(data.frame_holds());
  CHECK(statuses.frame_holds());
  Output data_alone(Bytes(expected.size(), 0xFF));
  const bool equal_alone = bulk.decode(in.data(), bits, data_alone.data(), nullptr) == counts;
  CHECK(equal_alone);
  CHECK_SAME(data_alone.content(), expected);
}

void check_correct(const Code& code, const BulkCode& bulk, const Bytes& codewords,
                   std::size_t bits) {
  Bytes expected = codewords;
  const std::uint64_t replaced = correct_bulk_ref(code, expected.data(), bits);
  Output out(codewords);
  CHECK(bulk.correct(out.data(), bits) == replaced);
  CHECK_SAME(out.content(), expected);
  CHECK(out.frame_holds());
}

constexpr double kErrorRates[] = {0, 1e-3, 1e-2, 0.1, 0.5};
constexpr std::size_t kLongStrings[] = {400, 416, 1024, 3071, 3072, 3073, 9999, 40000};

void check_all(const Code& code, const BulkCode& bulk, Random& random, std::size_t bits, double p) {
  CASE(bits, p);
  check_encode(code, bulk, random_bytes(random, (bits + 7) / 8), bits);
  const Bytes codewords = noisy_codewords(random, code, bits, p);
  check_decode(code, bulk, codewords, bits);
  check_correct(code, bulk, codewords, bits);
}

/// All words that `word_bits` bits can make, or `count` from `first` on, one after the other.
Bytes consecutive_words(int word_bits, std::uint64_t first, std::size_t count) {
  Bytes bytes((count * static_cast<std::size_t>(word_bits) + 7) / 8);
  std::size_t at = 0;
  for (std::uint64_t word = first; word < first + count; ++word)
    for (int i = 0; i < word_bits; ++i, ++at)
      bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] | (word >> i & 1) << (at % 8));
  return bytes;
}

}  // namespace

TEST_CASE("bulk coding of short strings is that of the references on every level") {
  Random random(1);
  for_each_bulk([&](const Code& code, const BulkCode& bulk) {
    for (std::size_t bits = 0; bits <= 200; ++bits) {
      CASE(bits);
      check_all(code, bulk, random, bits, kErrorRates[bits % 5]);
    }
  });
}

TEST_CASE("bulk coding of long strings is that of the references on every level") {
  Random random(2);
  for_each_bulk([&](const Code& code, const BulkCode& bulk) {
    for (const double p : kErrorRates)
      for (const std::size_t bits : kLongStrings) {
        CASE(p, bits);
        check_all(code, bulk, random, bits, p);
      }
  });
}

TEST_CASE("every word of a short code is decoded as the reference does on every level") {
  for_each_bulk([&](const Code& code, const BulkCode& bulk) {
    if (code.n > 8) return;
    const auto words = std::size_t{1} << code.n;
    const auto bits = words * static_cast<std::size_t>(code.k);
    const Bytes codewords = consecutive_words(code.n, 0, words);
    check_decode(code, bulk, codewords, bits);
    check_correct(code, bulk, codewords, bits);
    check_encode(code, bulk, consecutive_words(code.k, 0, std::size_t{1} << code.k),
                 (std::size_t{1} << code.k) * static_cast<std::size_t>(code.k));
  });
}

TEST_CASE("every data word and every syndrome of a code with 12 data bits, on every level") {
  constexpr std::size_t kWords = 4096;
  for_each_bulk([&](const Code& code, const BulkCode& bulk) {
    if (code.k != 12) return;
    check_encode(code, bulk, consecutive_words(12, 0, kWords), kWords * 12);
    for (const unsigned data : {0x000U, 0xFFFU, 0x5A3U}) {
      CASE(data);
      Bytes codewords;
      for (std::uint64_t check = 0; check < kWords; ++check)
        for (int byte = 0; byte < 3; ++byte)
          codewords.push_back(static_cast<std::uint8_t>((data | check << 12) >> (8 * byte) & 0xFF));
      check_decode(code, bulk, codewords, kWords * 12);
      check_correct(code, bulk, codewords, kWords * 12);
    }
  });
}

TEST_CASE("all 2^24 words of the Golay code decode alike on every level") {
  const Code code = make_code("golay24");
  constexpr std::size_t kChunk = std::size_t{1} << 18;
  const std::vector<SimdLevel> levels = fast_test::levels();
  std::vector<BulkCode> bulks;
  for (const SimdLevel level : levels) bulks.emplace_back(code, level);
  DecodeCounts total;
  for (std::uint64_t first = 0; first < (1U << 24); first += kChunk) {
    CASE(first);
    Bytes codewords;
    for (std::uint64_t word = first; word < first + kChunk; ++word)
      for (int byte = 0; byte < 3; ++byte)
        codewords.push_back(static_cast<std::uint8_t>(word >> (8 * byte) & 0xFF));
    Bytes expected(kChunk * 12 / 8);
    Bytes expected_statuses(status_bytes(kChunk));
    const DecodeCounts counts =
        bulks[0].decode(codewords.data(), kChunk * 12, expected.data(), expected_statuses.data());
    total += counts;
    for (std::size_t i = 1; i < bulks.size(); ++i) {
      CASE(i);
      Bytes data(expected.size());
      Bytes statuses(expected_statuses.size());
      const bool equal =
          bulks[i].decode(codewords.data(), kChunk * 12, data.data(), statuses.data()) == counts;
      REQUIRE(equal);
      REQUIRE_SAME(data, expected);
      REQUIRE_SAME(statuses, expected_statuses);
    }
  }
  CHECK(total.clean == 4096);
  CHECK(total.corrected == 2324 * 4096);
  CHECK(total.detected == 1771 * 4096);
}

TEST_CASE("bulk coding takes strings that start at any byte") {
  Random random(3);
  constexpr std::size_t kBits = 24000;
  for_each_bulk([&](const Code& code, const BulkCode& bulk) {
    const Bytes codewords = noisy_codewords(random, code, kBits, 1e-2);
    Bytes expected(kBits / 8);
    Bytes expected_statuses(status_bytes(code.words(kBits)));
    decode_bulk_ref(code, codewords.data(), kBits, expected.data(), expected_statuses.data());
    for (std::size_t offset = 0; offset < 64; offset += 7) {
      CASE(offset);
      Bytes in(offset);
      in.insert(in.end(), codewords.begin(), codewords.end());
      Bytes data(expected.size() + offset);
      Bytes statuses(expected_statuses.size() + offset);
      bulk.decode(&in[offset], kBits, &data[offset], &statuses[offset]);
      CHECK_SAME(expected, std::span(data).subspan(offset));
      CHECK_SAME(expected_statuses, std::span(statuses).subspan(offset));
    }
  });
}

TEST_CASE("the free functions are the methods") {
  Random random(4);
  const Code code = make_code("golay24");
  constexpr std::size_t kBits = 1000;
  Bytes codewords = noisy_codewords(random, code, kBits, 0.05);
  for (const SimdLevel level : fast_test::levels()) {
    CASE(level);
    const Bytes data = random_bytes(random, kBits / 8);
    Bytes encoded(codewords.size());
    Bytes encoded_ref(codewords.size());
    encode_bulk(code, data.data(), kBits, encoded.data(), level);
    encode_bulk_ref(code, data.data(), kBits, encoded_ref.data());
    CHECK_SAME(encoded, encoded_ref);
    Bytes decoded(kBits / 8);
    Bytes decoded_ref(kBits / 8);
    const bool equal = decode_bulk(code, codewords.data(), kBits, decoded.data(), nullptr, level) ==
                       decode_bulk_ref(code, codewords.data(), kBits, decoded_ref.data(), nullptr);
    CHECK(equal);
    CHECK_SAME(decoded, decoded_ref);
    Bytes corrected = codewords;
    Bytes corrected_ref = codewords;
    CHECK(correct_bulk(code, corrected.data(), kBits, level) ==
          correct_bulk_ref(code, corrected_ref.data(), kBits));
    CHECK_SAME(corrected, corrected_ref);
  }
}

TEST_CASE("fault masks are those of the reference on every level") {
  Random random(5);
  for (const SimdLevel level : fast_test::levels()) {
    CASE(level);
    for (std::size_t bits = 0; bits <= 2000; bits += bits < 200 ? 1 : 97)
      for (const double p : {0.0, 1e-2, 0.5, 1.0}) {
        CASE(bits, p);
        FaultSite site{.seed = random(),
                       .token = static_cast<std::uint32_t>(random()),
                       .layer = static_cast<std::uint32_t>(random() & 0xFFFF),
                       .head = static_cast<std::uint32_t>(random() & 0x7FFF),
                       .value = (random() & 1) != 0,
                       .trial = static_cast<std::uint32_t>(random())};
        Bytes expected((bits + 7) / 8);
        fault_mask_ref(site, bits, fault_threshold(p), expected.data());
        Output mask(Bytes(expected.size(), 0xFF));
        fault_mask(site, bits, fault_threshold(p), mask.data(), level);
        CHECK_SAME(mask.content(), expected);
        CHECK(mask.frame_holds());
      }
  }
}

TEST_CASE("a fault's word must be below the threshold, not at it, on every level") {
  constexpr std::size_t kBits = 64;
  const FaultSite site;
  for (const SimdLevel level : fast_test::levels())
    for (std::uint32_t bit = 0; bit < kBits; ++bit) {
      CASE(level, bit);
      const std::uint64_t word = philox4x32({bit / 4, 0, 0, 0}, {0, 0})[bit % 4];
      for (const std::uint64_t threshold : {word, word + 1}) {
        CASE(threshold);
        Bytes mask(kBits / 8);
        fault_mask(site, kBits, threshold, mask.data(), level);
        CHECK((mask[bit / 8] >> (bit % 8) & 1) == static_cast<int>(threshold - word));
      }
    }
}
