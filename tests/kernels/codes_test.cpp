#include "axelram/kernels/codes.hpp"

#include <random>
#include <string>
#include <vector>

#include "axelram/codewords.hpp"
#include "check.hpp"
#include "golden/fields.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

using Bytes = std::vector<std::uint8_t>;

const std::vector<std::string> kNames = {"hamming74",   "hamming84",   "golay24",  "hsiao_72_64",
                                         "hsiao_39_32", "hsiao_22_16", "hsiao_5_1"};

Bytes random_bytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

/// Layout of rows in a buffer: the first `offset` bytes after its begin, `gap` bytes between rows.
struct Place {
  std::size_t offset, gap;
};
const std::vector<Place> kPlaces = {{0, 0}, {0, 2}, {1, 0}, {6, 13}, {4, 40}};

/// Rows of `bytes` bytes among other bytes, here and on the device.
struct Rows {
  std::size_t bytes, offset, stride;
  Bytes here;
  Buffer<std::uint8_t> there;

  Rows(Stream& stream, std::size_t count, std::size_t bytes_, const Place& place, unsigned seed)
      : bytes(bytes_),
        offset(place.offset),
        stride(bytes_ + place.gap),
        here(random_bytes(place.offset + count * stride + 3, seed)),
        there(stream, here) {}
  std::uint8_t* row(std::size_t i) { return here.data() + offset + i * stride; }
  std::uint8_t* device() const { return there.data() + offset; }
  void upload(Stream& stream) { there.upload(stream, here); }
};

struct Counts {
  Buffer<CodeCounts> there{1};
  explicit Counts(Stream& stream) { there.fill(stream, 0); }
  DecodeCounts get(Stream& stream) const {
    const CodeCounts c = there.download(stream)[0];
    return {c.clean, c.corrected, c.parity_only, c.detected};
  }
};

/// Flips each bit with probability 2^-rate.
void corrupt(std::uint8_t* bytes, std::size_t size, int rate, unsigned seed) {
  std::mt19937 random(seed);
  for (std::size_t bit = 0; bit < 8 * size; ++bit)
    if (random() >> (32 - rate) == 0)
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << (bit % 8));
}

/// Decodes and scrubs what lies in `codewords` and compares all bytes, statuses and counts with the
/// references.
void check_decoding(Stream& stream, const DeviceCode& code, std::size_t count, std::size_t bits,
                    const Place& place, Rows* codewords) {
  const std::size_t state_bytes = status_bytes(code.code().words(bits));
  Rows rows(stream, count, (bits + 7) / 8, place, 3);
  Rows states(stream, count, state_bytes, {place.offset, 0}, 4);
  const Counts counts(stream), scrubbed(stream);
  codewords->upload(stream);
  decode_rows(stream, code, codewords->device(), count, bits, codewords->stride, rows.device(),
              rows.stride, states.device(), counts.there.data());
  correct_rows(stream, code, codewords->device(), count, bits, codewords->stride,
               scrubbed.there.data());
  DecodeCounts expected;
  for (std::size_t i = 0; i < count; ++i) {
    expected += decode_bulk_ref(code.code(), codewords->row(i), bits, rows.row(i), states.row(i));
    correct_bulk_ref(code.code(), codewords->row(i), bits);
  }
  CHECK_SAME(rows.there.download(stream), rows.here);
  CHECK_SAME(states.there.download(stream), states.here);
  CHECK_SAME(codewords->there.download(stream), codewords->here);
  CHECK_SAME(counts.get(stream), expected);
  CHECK_SAME(scrubbed.get(stream), expected);
}

void check_rows(Stream& stream, const DeviceCode& code, std::size_t count, std::size_t bits,
                const Place& place) {
  CASE(code.code().name, count, bits, place.gap);
  Rows rows(stream, count, (bits + 7) / 8, place, 1);
  Rows codewords(stream, count, code.code().codeword_bytes(bits), place, 2);
  encode_rows(stream, code, rows.device(), count, bits, rows.stride, codewords.device(),
              codewords.stride);
  for (std::size_t i = 0; i < count; ++i)
    encode_bulk_ref(code.code(), rows.row(i), bits, codewords.row(i));
  REQUIRE_SAME(codewords.there.download(stream), codewords.here);
  check_decoding(stream, code, count, bits, place, &codewords);  // no error
  for (const int rate : {7, 4, 2}) {
    CASE(rate);
    corrupt(codewords.row(0), count * codewords.stride - place.gap, rate,
            static_cast<unsigned>(rate));
    check_decoding(stream, code, count, bits, place, &codewords);
  }
}

/// One row that holds the given words one after the other.
Bytes string_of(const Code& code, const std::vector<Word>& words) {
  Bytes bytes((words.size() * static_cast<std::size_t>(code.n) + 7) / 8);
  std::size_t bit = 0;
  const auto put = [&](std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i, ++bit)
      if ((value >> i & 1) != 0)
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 1U << (bit % 8));
  };
  for (const Word& word : words) {
    put(word.data, code.k);
    put(word.check, code.check_bits());
  }
  return bytes;
}

void check_words(const std::string& name, const std::vector<Word>& words) {
  Stream stream;
  const DeviceCode code(stream, make_code(name));
  const std::size_t bits = words.size() * static_cast<std::size_t>(code.code().k);
  Rows codewords(stream, 1, code.code().codeword_bytes(bits), {0, 0}, 1);
  const Bytes bytes = string_of(code.code(), words);
  std::copy(bytes.begin(), bytes.end(), codewords.row(0));
  CASE(name);
  check_decoding(stream, code, 1, bits, {0, 0}, &codewords);
}

}  // namespace

TEST_CASE("codes: rows of any length anywhere, any error, equal the references") {
  Stream stream;
  for (const std::string& name : kNames) {
    CASE(name);
    const DeviceCode code(stream, make_code(name));
    std::size_t turn = 0;
    for (const std::size_t bits : {1, 4, 11, 12, 31, 33, 64, 97, 129, 513}) {
      CASE(bits);
      check_rows(stream, code, 5, bits, kPlaces[turn++ % kPlaces.size()]);
    }
    for (const Place& place : kPlaces) {
      CASE(place.offset, place.gap);
      check_rows(stream, code, 5, 400, place);
    }
  }
}

TEST_CASE("codes: many records, more than a block's") {
  Stream stream;
  for (const char* const name : {"hamming74", "hamming84", "golay24", "hsiao_72_64"}) {
    CASE(name);
    const DeviceCode code(stream, make_code(name));
    check_rows(stream, code, 301, 400, {0, 0});
    check_rows(stream, code, 301, 400, {0, 2});
  }
}

TEST_CASE("codes: rows that are cut into pieces") {
  Stream stream;
  for (const char* const name : {"hamming74", "hamming84", "golay24", "hsiao_72_64"}) {
    CASE(name);
    const DeviceCode code(stream, make_code(name));
    check_rows(stream, code, 3, 100003, {0, 5});
    check_rows(stream, code, 2, 65536, {0, 0});
  }
}

TEST_CASE("codes: every word of the small codes, every syndrome of golay24") {
  for (const char* const name : {"hamming74", "hamming84", "hsiao_5_1"}) {
    CASE(name);
    const Code code = make_code(name);
    std::vector<Word> words;
    for (std::uint32_t received = 0; received < 1U << code.n; ++received)
      words.push_back({received & ((1U << code.k) - 1), received >> code.k});
    check_words(name, words);
  }
  const Code golay = make_code("golay24");
  std::mt19937 random(5);
  std::vector<Word> words;
  for (std::uint32_t syndrome = 0; syndrome < 4096; ++syndrome) {
    CASE(syndrome);
    const std::uint32_t data = random() & 0xFFF;
    words.push_back({data, check_bits_ref(golay, data) ^ syndrome});
    if (syndrome % 1024 == 1023) {
      check_words("golay24", words);
      words.clear();
    }
  }
}

TEST_CASE("codes: golay24 corrects three errors anywhere and finds four") {
  const Code code = make_code("golay24");
  std::mt19937 random(6);
  std::vector<Word> words;
  for (int weight = 0; weight <= 4; ++weight)
    for (int i = 0; i < 600; ++i) {
      const std::uint32_t data = random() & 0xFFF;
      std::uint32_t error = 0;
      for (int left = weight; left > 0;) {
        const std::uint32_t bit = 1U << random() % 24;
        if ((error & bit) != 0) continue;
        error |= bit;
        --left;
      }
      words.push_back({data ^ (error & 0xFFF), check_bits_ref(code, data) ^ error >> 12});
    }
  check_words("golay24", words);
}

TEST_CASE("codes: statuses and counts may be left out, and counts add up") {
  Stream stream;
  const DeviceCode code(stream, make_code("golay24"));
  const Buffer<std::uint8_t> codewords(stream, random_bytes(102 * 7, 1)), rows(50 * 7);
  Counts counts(stream);
  decode_rows(stream, code, codewords.data(), 7, 400, 102, rows.data(), 50, nullptr, nullptr);
  for (int i = 0; i < 2; ++i)
    decode_rows(stream, code, codewords.data(), 7, 400, 102, rows.data(), 50, nullptr,
                counts.there.data());
  const DecodeCounts sum = counts.get(stream);
  CHECK(sum.clean + sum.corrected + sum.parity_only + sum.detected == 2 * 7 * 34);
}

TEST_CASE("codes: nothing to do, and what is rejected") {
  Stream stream;
  const DeviceCode code(stream, make_code("hamming84"));
  const Buffer<std::uint8_t> bytes(1000);
  encode_rows(stream, code, nullptr, 0, 400, 0, nullptr, 0);
  decode_rows(stream, code, bytes.data(), 5, 0, 0, bytes.data(), 0, nullptr, nullptr);
  CHECK_THROWS_WITH(
      encode_rows(stream, code, bytes.data(), 2, 400, 49, bytes.data(), 100),
      "encode_rows(hamming84 [2 rows of 400 bits]): a stride of 49 bytes; rows of 50 bytes need as "
      "many");
  CHECK_THROWS_AS(decode_rows(stream, code, bytes.data(), 1, std::size_t{1} << 40, 0, bytes.data(),
                              0, nullptr, nullptr),
                  DeviceError);
}
