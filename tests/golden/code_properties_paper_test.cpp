#include <cmath>
#include <string>

#include "check.hpp"
#include "golden/code_properties.hpp"
#include "golden/fields.hpp"

using namespace axelram;
using namespace code_properties;

namespace {

/// "1101100": column 0 first, as the paper prints rows of its matrices.
Row printed(const std::string& text) {
  Row row;
  for (std::size_t i = 0; i < text.size(); ++i) row.set(i, text[i] == '1');
  return row;
}

Word word_of(const Code& code, const std::string& text) {
  return split(code, static_cast<std::uint32_t>(printed(text).to_ulong()));
}

}  // namespace

TEST_CASE("the matrices of equations 16, 17, 22") {
  const Code hamming74 = make_code("hamming74");
  CHECK_SAME(parity_check(hamming74),
             std::vector<Row>{printed("1101100"), printed("1011010"), printed("0111001")});
  CHECK_SAME(generator(hamming74), std::vector<Row>{printed("1000110"), printed("0100101"),
                                                    printed("0010011"), printed("0001111")});
  CHECK_SAME(generator(make_code("hamming84")),
             std::vector<Row>{printed("10001101"), printed("01001011"), printed("00100111"),
                              printed("00011110")});
}

TEST_CASE("equation 23's parity check, with a row of ones, has hamming84 for its kernel") {
  const std::vector<Row> h = {printed("11011000"), printed("10110100"), printed("01110010"),
                              printed("11111111")};
  std::vector<std::uint32_t> kernel;
  for (std::uint32_t word = 0; word < 256; ++word) {
    bool zero = true;
    for (const Row& row : h) zero = zero && (row & Row(word)).count() % 2 == 0;
    if (zero) kernel.push_back(word);
  }
  std::vector<std::uint32_t> words = codewords(make_code("hamming84"));
  std::sort(words.begin(), words.end());
  CHECK_SAME(kernel, words);
}

TEST_CASE("equations 18 to 20, and the eighth bit makes every weight even") {
  const Code hamming74 = make_code("hamming74"), hamming84 = make_code("hamming84");
  for (std::uint32_t data = 0; data < 16; ++data) {
    CASE(data);
    const auto d = [&](int i) { return data >> i & 1; };
    const std::uint32_t p =
        (d(0) ^ d(1) ^ d(3)) | (d(0) ^ d(2) ^ d(3)) << 1 | (d(1) ^ d(2) ^ d(3)) << 2;
    CHECK(encode_ref(hamming74, data).check == p);
    CHECK((encode_ref(hamming84, data).check & 7) == p);
    CHECK(weight(joined(hamming84, encode_ref(hamming84, data))) % 2 == 0);
  }
}

TEST_CASE("Example 2: one bit hit, its column of H is the syndrome, the word is restored") {
  const Code code = make_code("hamming74");
  const Word sent = encode_ref(code, 0b0010);  // d = [0, 1, 0, 0]
  CHECK_SAME(sent, word_of(code, "0100101"));
  const Word received = word_of(code, "0101101");
  CHECK(syndrome_ref(code, received) == 0b111);
  CHECK(columns(code)[3] == 0b111);
  const Decoded decoded = decode_ref(code, received);
  CHECK_SAME(decoded.word, sent);
  CHECK(decoded.status == WordStatus::corrected);
}

TEST_CASE("Example 3: two bits hit look like a third, and three data bits end up wrong") {
  const Code code = make_code("hamming74");
  const std::vector<std::uint32_t> h = columns(code);
  CHECK(h[0] == 0b011);  // (1, 1, 0) read downwards
  CHECK(h[1] == 0b101);
  CHECK((h[0] ^ h[1]) == h[2]);
  for (std::uint64_t data = 0; data < 16; ++data) {
    CASE(data);
    Word received = encode_ref(code, data);
    received.data ^= 0b0011;
    const Decoded decoded = decode_ref(code, received);
    CHECK(decoded.status == WordStatus::corrected);
    CHECK((decoded.word.data ^ data) == 0b0111);
  }
}

TEST_CASE("hamming74 puts every pair of hits wrong; hamming84 flags every pair") {
  const Code hamming74 = make_code("hamming74"), hamming84 = make_code("hamming84");
  for_each_of_weight(7, 2, [&](std::uint32_t error) {
    const Decoded decoded = decode_ref(hamming74, split(hamming74, error));
    CHECK(decoded.status == WordStatus::corrected);
    CHECK(weight(joined(hamming74, decoded.word)) == 3);
  });
  for_each_of_weight(8, 2, [&](std::uint32_t error) {
    const Decoded decoded = decode_ref(hamming84, split(hamming84, error));
    CHECK(decoded.status == WordStatus::detected);
    CHECK(joined(hamming84, decoded.word) == error);
  });
}

TEST_CASE(
    "three hits of hamming84 are never flagged; seven of 56 pass for a hit of the parity bit") {
  // Section 5.2.2: "Parity Bit Error: Ignore (Data valid)". The data of those seven is not valid.
  const Code code = make_code("hamming84");
  std::map<WordStatus, int> found;
  for_each_of_weight(8, 3, [&](std::uint32_t error) {
    const Decoded decoded = decode_ref(code, split(code, error));
    ++found[decoded.status];
    CHECK(decoded.word.data != 0);
  });
  CHECK_SAME(found,
             std::map<WordStatus, int>{{WordStatus::corrected, 49}, {WordStatus::parity_only, 7}});
}

TEST_CASE("Table 4's detection: 1, 2 and 7 bits are not one measure") {
  // Without correction every code detects d - 1 bits (Definition 4.1): 2, 3, 7. Beside correction
  // of t bits, d - 1 - t: 1 (equal to t: no word is flagged), 2, 4.
  const std::map<std::string, int> pure = {{"hamming74", 2}, {"hamming84", 3}, {"golay24", 7}};
  const std::map<std::string, int> beside = {{"hamming74", 1}, {"hamming84", 2}, {"golay24", 4}};
  for (const auto& [name, expected] : pure) {
    CASE(name, expected);
    const Code code = make_code(name);
    int detected = 0, told_apart = 0;
    for (int w = 1; w <= 8 && (detected == w - 1 || told_apart == w - 1); ++w) {
      bool never_silent = true, never_wrong = true;
      for_each_of_weight(code.n, w, [&](std::uint32_t error) {
        const Decoded decoded = decode_ref(code, split(code, error));
        never_silent = never_silent && decoded.status != WordStatus::clean;
        never_wrong = never_wrong &&
                      (decoded.status == WordStatus::detected || joined(code, decoded.word) == 0);
      });
      if (never_silent && detected == w - 1) detected = w;
      if (never_wrong && told_apart == w - 1) told_apart = w;
    }
    CHECK(detected == expected);
    CHECK(told_apart == beside.at(name));
  }
}

TEST_CASE("overheads: 75 % and 100 %, and 43 Golay words for the 128 INT4 values of a row") {
  CHECK(make_code("hamming74").codeword_bytes(512) == 112);  // 64 bytes and 75 %
  CHECK(make_code("hamming84").codeword_bytes(512) == 128);
  CHECK(make_code("golay24").words(512) == 43);  // 42 and two thirds
  CHECK(make_code("golay24").codeword_bytes(512) == 129);
}

TEST_CASE("a table of eight syndromes is half of hamming84's; golay24's fits 16 KB") {
  CHECK(make_code("hamming74").patterns.size() == 8);
  CHECK(make_code("hamming84").patterns.size() == 16);
  CHECK(make_code("golay24").patterns.size() * 4 == 16 * 1024);
}

TEST_CASE("Table 2: one word of eight bits in 12.9, not 12, is hit at a bit error rate of 1 %") {
  CHECK(1 / (1 - std::pow(0.99, 8)) == doctest::Approx(12.94).epsilon(1e-3));
}

TEST_CASE("a miscorrected pair of hits is further off than one left alone") {
  // Section 6.4.1 states the opposite. Mean error of an unsigned INT4 value, over all data
  // and all pairs of hits.
  struct Error {
    double absolute = 0, square = 0;
  };
  const auto mean_error = [](const Code& code, bool decode) {
    Error sum;
    int count = 0;
    for (std::uint64_t data = 0; data < 16; ++data)
      for_each_of_weight(code.n, 2, [&](std::uint32_t error) {
        const std::uint32_t received = joined(code, encode_ref(code, data)) ^ error;
        const Word read = split(code, received);
        const std::uint64_t value = decode ? decode_ref(code, read).word.data : read.data;
        const double difference = static_cast<double>(value) - static_cast<double>(data);
        sum.absolute += std::abs(difference);
        sum.square += difference * difference;
        ++count;
      });
    return Error{sum.absolute / count, sum.square / count};
  };
  const Error miscorrected = mean_error(make_code("hamming74"), true);
  const Error alone = mean_error(make_code("hamming74"), false);
  const Error kept = mean_error(make_code("hamming84"), true);  // flagged, data as received
  CHECK(miscorrected.absolute == doctest::Approx(5.0));
  CHECK(alone.absolute == doctest::Approx(79.0 / 21));
  CHECK(kept.absolute == doctest::Approx(94.0 / 28));
  CHECK(miscorrected.square == doctest::Approx(85.0 * 3 / 7));
  CHECK(alone.square == doctest::Approx(85.0 * 2 / 7));
  CHECK(kept.square == doctest::Approx(85.0 / 4));
  // More pairs fit into eight bits than into seven, but not enough to make up for it.
  CHECK(21 * miscorrected.square > 28 * kept.square);
}
