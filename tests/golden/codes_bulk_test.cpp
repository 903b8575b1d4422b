#include <algorithm>
#include <string>

#include "axelram/codewords.hpp"
#include "check.hpp"
#include "golden/code_examples.hpp"
#include "golden/fields.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

using Bytes = std::vector<std::uint8_t>;

const std::vector<std::string> kAll = code_examples();

bool get(const Bytes& bytes, std::size_t bit) { return (bytes[bit / 8] >> (bit % 8) & 1) != 0; }
void flip(Bytes* bytes, std::size_t bit) {
  (*bytes)[bit / 8] = static_cast<std::uint8_t>((*bytes)[bit / 8] ^ 1U << (bit % 8));
}

Bytes random_bytes(oracle::Rng& rng, std::size_t count) {
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng());
  return bytes;
}

Bytes encoded(const Code& code, const Bytes& data, std::size_t bits) {
  Bytes codewords(code.codeword_bytes(bits), 0xA5);
  encode_bulk_ref(code, data.data(), bits, codewords.data());
  return codewords;
}

/// `count` different bits of codeword `word` flipped.
void hit(oracle::Rng& rng, const Code& code, std::size_t word, int count, Bytes* codewords) {
  std::vector<std::size_t> bits(static_cast<std::size_t>(code.n));
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = word * bits.size() + i;
  std::shuffle(bits.begin(), bits.end(), rng);
  for (int i = 0; i < count; ++i) flip(codewords, bits[static_cast<std::size_t>(i)]);
}

/// The word of codeword `word`, bit by bit.
Word word_at(const Code& code, const Bytes& codewords, std::size_t word) {
  Word result;
  for (int i = 0; i < code.n; ++i)
    if (get(codewords, word * static_cast<std::size_t>(code.n) + static_cast<std::size_t>(i))) {
      if (i < code.k)
        result.data |= std::uint64_t{1} << i;
      else
        result.check |= 1U << (i - code.k);
    }
  return result;
}

}  // namespace

TEST_CASE("the codewords of the contract, byte by byte") {
  // hamming74, 0x2F: value 15 is 1111 111, value 2 is 0100 101, read from bit 0.
  CHECK_SAME(encoded(make_code("hamming74"), {0x2F}, 8), Bytes{0x7F, 0x29});
  // hamming84: the same with the parities 1 and 1.
  CHECK_SAME(encoded(make_code("hamming84"), {0x2F}, 8), Bytes{0xFF, 0xD2});
  // golay24: v0 = 1 gives row 0 of B, 110111000101; the four bits left are v0 = 8 of a second word,
  // row 3, 111000101101.
  CHECK_SAME(encoded(make_code("golay24"), {0x01, 0x80}, 16),
             Bytes{0x01, 0xB0, 0xA3, 0x08, 0x70, 0xB4});
  // hsiao_22_16: columns 0x31 and 0x2C; the second word starts at bit 22.
  CHECK_SAME(encoded(make_code("hsiao_22_16"), {0x01, 0x80, 0x01, 0x00}, 32),
             Bytes{0x01, 0x80, 0x5D, 0x00, 0x40, 0x0C});
  for (const std::string& name : kAll) CHECK_AT(name, encoded(make_code(name), {}, 0).empty());
}

TEST_CASE("sizes of coded records: 88, 100 and 102 bytes at d = 128, b = 3") {
  const std::size_t bits = 400;
  CHECK(make_code("hamming74").codeword_bytes(bits) == 88);
  CHECK(make_code("hamming84").codeword_bytes(bits) == 100);
  CHECK(make_code("golay24").codeword_bytes(bits) == 102);
  CHECK(make_code("golay24").words(bits) == 34);
  CHECK(make_code("hsiao_72_64").words(bits) == 7);
  CHECK(make_code("hsiao_72_64").codeword_bytes(bits) == 63);
  CHECK(make_code("hsiao_39_32").codeword_bytes(bits) == 64);
  CHECK(make_code("hsiao_22_16").codeword_bytes(bits) == 69);
  CHECK(make_code("hamming74").codeword_bytes(0) == 0);
  CHECK(status_bytes(0) == 0);
  CHECK(status_bytes(34) == 9);
}

TEST_CASE("each word is coded on its own, only the last one padded, zeros to the end of the byte") {
  oracle::Rng rng(21);
  for (const std::string& name : kAll) {
    CASE(name);
    const Code code = make_code(name);
    for (std::size_t bits = 0; bits < 200; ++bits) {
      CASE(bits);
      const Bytes data = random_bytes(rng, (bits + 7) / 8);
      Bytes codewords(code.codeword_bytes(bits) + 1, 0xA5);
      encode_bulk_ref(code, data.data(), bits, codewords.data());
      REQUIRE(codewords.back() == 0xA5);
      for (std::size_t j = 0; j < code.words(bits); ++j) {
        CASE(j);
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(code.k); ++i) {
          const std::size_t bit = j * static_cast<std::size_t>(code.k) + i;
          if (bit < bits && get(data, bit)) word |= std::uint64_t{1} << i;
        }
        REQUIRE_SAME(word_at(code, codewords, j), encode_ref(code, word));
      }
      const std::size_t end = code.words(bits) * static_cast<std::size_t>(code.n);
      for (std::size_t bit = end; bit < 8 * code.codeword_bytes(bits); ++bit) {
        CASE(bit);
        REQUIRE_FALSE(get(codewords, bit));
      }
    }
  }
}

TEST_CASE("up to t hits in every word are undone, and counted") {
  oracle::Rng rng(22);
  for (const std::string& name : kAll) {
    CASE(name);
    const Code code = make_code(name);
    for (int trial = 0; trial < 300; ++trial) {
      CASE(trial);
      const auto bits = static_cast<std::size_t>(oracle::uniform(rng, 1, 420));
      const Bytes data = random_bytes(rng, (bits + 7) / 8);
      const Bytes sent = encoded(code, data, bits);
      Bytes received = sent;
      std::uint64_t hit_words = 0;
      for (std::size_t j = 0; j < code.words(bits); ++j) {
        const int hits = oracle::uniform(rng, 0, code.correctable);
        hit(rng, code, j, hits, &received);
        hit_words += hits != 0;
      }
      Bytes decoded((bits + 7) / 8 + 1, 0xA5);
      const DecodeCounts counts =
          decode_bulk_ref(code, received.data(), bits, decoded.data(), nullptr);
      REQUIRE(decoded.back() == 0xA5);
      for (std::size_t bit = 0; bit < 8 * data.size(); ++bit)
        REQUIRE_AT(bit, get(decoded, bit) == (bit < bits && get(data, bit)));
      REQUIRE(counts.detected == 0);
      REQUIRE(counts.clean == code.words(bits) - hit_words);
      REQUIRE(counts.corrected + counts.parity_only == hit_words);
      REQUIRE(correct_bulk_ref(code, received.data(), bits) == hit_words);
      REQUIRE_SAME(received, sent);
    }
  }
}

TEST_CASE("any bytes decode word by word, with statuses; correction leaves what it cannot mend") {
  oracle::Rng rng(23);
  for (const std::string& name : kAll) {
    CASE(name);
    const Code code = make_code(name);
    bool seen[4] = {};
    for (int trial = 0; trial < 300; ++trial) {
      CASE(trial);
      const auto bits = static_cast<std::size_t>(oracle::uniform(rng, 1, 420));
      Bytes received = encoded(code, random_bytes(rng, (bits + 7) / 8), bits);
      for (std::size_t j = 0; j < code.words(bits); ++j)
        hit(rng, code, j, oracle::uniform(rng, 0, code.correctable + 2), &received);
      const std::size_t words = code.words(bits);
      Bytes decoded((bits + 7) / 8, 0xA5), statuses(status_bytes(words) + 1, 0xA5);
      const DecodeCounts counts =
          decode_bulk_ref(code, received.data(), bits, decoded.data(), statuses.data());
      REQUIRE(statuses.back() == 0xA5);
      if (words % 4 != 0) REQUIRE((statuses[words / 4] >> (2 * (words % 4))) == 0);

      Bytes mended = received;
      const std::uint64_t replaced = correct_bulk_ref(code, mended.data(), bits);
      std::uint64_t expected[4] = {};
      for (std::size_t j = 0; j < words; ++j) {
        CASE(j);
        const Word word = word_at(code, received, j);
        const Decoded one = decode_ref(code, word);
        REQUIRE(status_at(statuses.data(), j) == one.status);
        ++expected[static_cast<int>(one.status)];
        seen[static_cast<int>(one.status)] = true;
        for (std::size_t i = 0; i < static_cast<std::size_t>(code.k); ++i) {
          CASE(i);
          const std::size_t bit = j * static_cast<std::size_t>(code.k) + i;
          if (bit < bits) REQUIRE(get(decoded, bit) == ((one.word.data >> i & 1) != 0));
        }
        REQUIRE_SAME(word_at(code, mended, j), one.word);
        if (one.status == WordStatus::detected) REQUIRE_SAME(one.word, word);
      }
      for (std::size_t bit = bits; bit < 8 * decoded.size(); ++bit) {
        CASE(bit);
        REQUIRE_FALSE(get(decoded, bit));
      }
      REQUIRE_SAME(counts, DecodeCounts{expected[0], expected[1], expected[2], expected[3]});
      REQUIRE(replaced == expected[1] + expected[2]);
    }
    CHECK(seen[0]);
    CHECK(seen[1]);
    CHECK(seen[2] == (name == "hamming84"));
    CHECK(seen[3] == (name != "hamming74"));
  }
}

TEST_CASE("counts add up") {
  DecodeCounts sum = {1, 2, 3, 4};
  sum += {10, 20, 30, 40};
  CHECK_SAME(sum, DecodeCounts{11, 22, 33, 44});
  for (const DecodeCounts& other : {DecodeCounts{0, 22, 33, 44}, DecodeCounts{11, 0, 33, 44},
                                    DecodeCounts{11, 22, 0, 44}, DecodeCounts{11, 22, 33, 0}}) {
    CASE(other);
    CHECK_DIFFERENT(sum, other);
  }
}
