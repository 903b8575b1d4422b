#include <cstring>
#include <random>

#include "axelram/files/safetensors.hpp"
#include "needs.hpp"
#include "support.hpp"

namespace {

using namespace axelram;
using namespace axelram::tokens;
using namespace test;

constexpr std::size_t kTiny = 294;  ///< ids of reference/tiny.bin

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

/// Pieces and scores of a file that is known to be right, read without the code under test.
struct Naive {
  std::vector<std::string> pieces;
  std::vector<float> scores;

  explicit Naive(const std::string& file) {
    for (std::size_t at = 4; at < file.size();) {
      float score = 0;
      std::int32_t size = 0;
      std::memcpy(&score, file.data() + at, 4);
      std::memcpy(&size, file.data() + at + 4, 4);
      pieces.push_back(file.substr(at + 8, static_cast<std::size_t>(size)));
      scores.push_back(score);
      at += 8 + static_cast<std::size_t>(size);
    }
  }

  int find(const std::string& bytes) const {
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (pieces[i] == bytes) return static_cast<int>(i);
    return -1;
  }

  /// llama2.c's loop: one merge after a search of everything.
  Ids merge(Ids ids) const {
    for (;;) {
      float best = -1e10F;
      int winner = -1;
      std::size_t place = 0;
      for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
        const int id = find(pieces[static_cast<std::size_t>(ids[i])] +
                            pieces[static_cast<std::size_t>(ids[i + 1])]);
        if (id < 0 || !(scores[static_cast<std::size_t>(id)] > best)) continue;
        best = scores[static_cast<std::size_t>(id)];
        winner = id;
        place = i;
      }
      if (winner < 0) return ids;
      ids[place] = winner;
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    }
  }
};

TEST_CASE("a byte is its own id") {
  const auto tokenizer = byte_level();
  CHECK(tokenizer->vocabulary() == 256);
  CHECK_FALSE(tokenizer->bos().has_value());
  CHECK(tokenizer->encode("").empty());
  CHECK_SAME(tokenizer->encode(std::string("a\0\xff", 3)), Ids{97, 0, 255});
  CHECK(tokenizer->piece(255) == "\xff");
  CHECK_THROWS_AS(tokenizer->piece(256), std::out_of_range);
  CHECK_THROWS_AS(tokenizer->piece(-1), std::out_of_range);
}

TEST_CASE("llama2.c's ids as an independent implementation has them") {
  const auto expected = json_of("tiny.json");
  REQUIRE(expected.at("vocabulary") == kTiny);
  const auto tokenizer = read_llama2c(reference("tiny.bin"), kTiny);
  CHECK(tokenizer->vocabulary() == kTiny);
  CHECK(tokenizer->bos() == 1);
  CHECK(expected.at("cases").size() > 40);
  for (const auto& item : expected.at("cases")) {
    const std::string text = from_hex(item.at("hex"));
    CASE(item.at("hex").get<std::string>());
    const Ids ids = tokenizer->encode(text);
    CHECK_SAME(ids, item.at("ids").get<Ids>());
    CHECK(pieces(*tokenizer, ids) == (text.empty() ? "" : " " + text));
  }
  CHECK(tokenizer->piece(0).empty());
  CHECK(tokenizer->piece(1).empty());
  CHECK(tokenizer->piece(2).empty());
  CHECK(tokenizer->piece(3) == std::string(1, '\0'));
  CHECK(tokenizer->piece(258) == "\xff");
  CHECK_THROWS_AS(tokenizer->piece(static_cast<std::int32_t>(kTiny)), std::out_of_range);
  CHECK_THROWS_AS(tokenizer->piece(-1), std::out_of_range);
}

TEST_CASE("the queue merges as the search of everything does") {
  const auto tokenizer = read_llama2c(reference("tiny.bin"), kTiny);
  const Naive naive(bytes_of(reference("tiny.bin")));
  REQUIRE(naive.pieces.size() == kTiny);
  std::mt19937 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const std::string alphabet = trial % 2 == 0 ? "ab" : "abc xy\n";
    std::string text;
    while (text.size() < static_cast<std::size_t>(1 + trial % 60))
      text += alphabet[random() % alphabet.size()];
    Ids characters;
    for (const char c : " " + text) characters.push_back(naive.find({c}));
    CASE(trial, text);
    CHECK_SAME(tokenizer->encode(text), naive.merge(characters));
  }
}

TEST_CASE("a tokenizer.bin cut off anywhere is an error on one line") {
  const std::string whole = bytes_of(reference("tiny.bin"));
  const TemporaryFile file(whole);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CASE(size);
    file.write(whole.substr(0, size));
    const std::string message = error_of([&] { read_llama2c(file.path, kTiny); });
    CASE(size);
    CHECK(message.find("bytes wanted at byte") != std::string::npos);
  }
  file.write(whole);
  CHECK(error_of([&] { read_llama2c(file.path, kTiny); }).empty());
}

TEST_CASE("a garbled tokenizer.bin is rejected for what is wrong with it") {
  const std::string whole = bytes_of(reference("tiny.bin"));
  const TemporaryFile file(whole);
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string changed = whole;
    file.write(changed.replace(at, bytes.size(), bytes));
    return error_of([&] { read_llama2c(file.path, kTiny); });
  };
  const auto names = [](const std::string& message, const std::string& what) {
    CASE(message);
    CHECK(message.find(what) != std::string::npos);
  };
  names(with(4, std::string("\0\0\xc0\x7f", 4)), "id 0: its score must be a finite number");
  names(with(4, std::string("\0\0\x80\xff", 4)), "id 0: its score must be a finite number");
  names(with(8, "\xff\xff\xff\xff"), "id 0: a piece of -1 bytes");
  names(with(8, "\xff\xff\xff\x7f"), "id 0: a piece of 2147483647 bytes");
  names(with(0, std::string("\1\0\0\0", 4)), "the longest has 1");
  names(with(whole.find("<0x07>"), "<0x08>"), "id 10: the piece '<0x08>'; llama2.c has <0x07>");
  names(with(whole.rfind("bc"), "ab"), "the same piece 'ab'");
  names(with(whole.find("<0xFF>") + 14, "!"), "no id for the space");
  names(error_of([&] { read_llama2c(reference("tiny.bin"), kTiny - 1); }), "bytes follow the last");
  names(error_of([&] { read_llama2c(reference("tiny.bin"), kTiny + 1); }), "bytes wanted");
  names(error_of([&] { read_llama2c(reference("tiny.bin"), 256); }), "a vocabulary of 256");
  names(error_of([&] { read_llama2c(reference("tiny.bin"), SIZE_MAX); }), "a vocabulary of");
  names(error_of([&] { read_llama2c(reference("no.bin"), kTiny); }), "no such file");

  // Whatever a single byte becomes, the file is read or rejected.
  std::mt19937 random(11);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CASE(at);
    with(at, std::string(1, static_cast<char>(whole[at] ^ static_cast<char>(1U << random() % 8))));
    with(at, std::string(1, static_cast<char>(random())));
  }
}

TEST_CASE("stories260K: the ids of an independent implementation, of the same text" *
          test::needs_data) {
  const std::string data = test::data();
  const std::string folder = data;
  const auto tokenizer = read_llama2c(folder + "/models/stories260K/tok512.bin", 512);
  // That implementation saw paragraphs with one line feed between them, a story at a time.
  std::string text;
  for (const char c : bytes_of(folder + "/text/tinystories-sample.txt"))
    if (c != '\n' || text.empty() || text.back() != '\n') text += c;
  const auto check = files::Safetensors::read(folder + "/models/stories260K/check.safetensors");
  const files::Tensor& tensor = check.at("tokens", files::DataType::i32, 2);
  const auto values = tensor.values<std::int32_t>();
  const auto length = static_cast<std::ptrdiff_t>(tensor.shape.at(1));
  REQUIRE(tensor.shape.at(0) == 24);
  for (auto row = values.begin(); row != values.end(); row += length) {
    CASE(row);
    REQUIRE(*row == tokenizer->bos());
    const Ids expected(row + 1, row + length);
    const std::string story = pieces(*tokenizer, expected).substr(1);
    const std::size_t at = text.find(story);
    REQUIRE(at != std::string::npos);
    Ids ids = tokenizer->encode(std::string_view(text).substr(at, story.size() + 500));
    REQUIRE(ids.size() >= expected.size());
    ids.resize(expected.size());
    CHECK_SAME(ids, expected);
  }
  CHECK(pieces(*tokenizer, tokenizer->encode(text)) == " " + text);
}

}  // namespace
