#include "axelram/tokens/text.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "axelram/files/safetensors.hpp"
#include "files/support.hpp"
#include "gguf/builder.hpp"
#include "tokens/support.hpp"

using namespace axelram;
using test::contains;

namespace {

tokens::TokenText read(const std::string& path, const test::Tokenizer& tokenizer,
                       std::size_t skip = 0, std::optional<std::size_t> count = {},
                       bool bos = false) {
  return tokens::read_text(path, tokenizer, {skip, count, bos});
}

void put_tokens(const std::string& path, const files::Shape& shape, const test::Ids& ids) {
  files::write_safetensors(path, {files::view("tokens", files::DataType::i32, shape, ids)}, {},
                           true);
}

}  // namespace

TEST_CASE("text: skipped, shortened, with the bytes of each id") {
  const test::TemporaryFolder folder;
  test::put(folder / "t", "abcdef");
  const auto bytes = tokens::byte_level();
  const tokens::TokenText text = read(folder / "t", *bytes, 1, 3);
  CHECK_SAME(text.ids, test::Ids{'b', 'c', 'd'});
  CHECK_SAME(text.bytes, std::vector<std::uint32_t>{1, 1, 1});
  CHECK_FALSE(text.separate);
  CHECK(read(folder / "t", *bytes).columns == 6);
}

TEST_CASE("text: a BOS comes first and stands for no bytes") {
  const test::TemporaryFolder folder;
  test::put(folder / "t", "ab");
  const auto tokenizer = tokens::read_tokenizer_json(test::reference("llama3.json"));
  REQUIRE(tokenizer->bos());
  const tokens::TokenText text = read(folder / "t", *tokenizer, 0, {}, true);
  CHECK(text.ids.front() == *tokenizer->bos());
  CHECK(text.bytes.front() == 0);
  std::uint32_t sum = 0;
  for (const std::uint32_t size : text.bytes) sum += size;
  CHECK(sum == 2);
}

TEST_CASE("text: ids of one row and of several") {
  const test::TemporaryFolder folder;
  const auto bytes = tokens::byte_level();
  put_tokens(folder / "one.safetensors", {5}, {1, 2, 3, 4, 5});
  put_tokens(folder / "two.safetensors", {2, 3}, {1, 2, 3, 4, 5, 6});
  const tokens::TokenText one = read(folder / "one.safetensors", *bytes, 0, 4);
  CHECK_SAME(one.ids, test::Ids{1, 2, 3, 4});
  CHECK(one.bytes.empty());
  const tokens::TokenText two = read(folder / "two.safetensors", *bytes);
  CHECK(two.separate);
  CHECK(two.rows == 2);
  CHECK(two.columns == 3);
}

TEST_CASE("text: ids are known by the name of their file or by its content") {
  const test::TemporaryFolder folder;
  const auto bytes = tokens::byte_level();
  put_tokens(folder / "ids.safetensors", {3}, {1, 2, 3});
  std::filesystem::rename(folder / "ids.safetensors", folder / "ids");
  CHECK(tokens::holds_ids(folder / "ids"));
  CHECK_SAME(read(folder / "ids", *bytes).ids, test::Ids{1, 2, 3});
  CHECK(tokens::holds_ids(folder / "none.safetensors"));
  for (const std::string text : {"", "abcdefgh", "abcdefgh{\"tokens\"}", "\n\n\n\n\n\n\n\n{}"}) {
    CASE(text);
    test::put(folder / "t", text);
    CHECK_FALSE(tokens::holds_ids(folder / "t"));
  }
  CHECK_FALSE(tokens::holds_ids(folder / "none"));
}

TEST_CASE("text and tokenizer from a pipe") {
  const test::TemporaryFolder folder;
  // What a writer puts into a new pipe, which is read by `read`.
  const auto piped = [&](const std::string& bytes, auto&& read) {
    const std::string pipe = folder / "pipe";
    std::filesystem::remove(pipe);
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const std::jthread writer([&] { test::put(pipe, bytes); });
    return read(pipe);
  };
  const auto bytes = tokens::byte_level();
  const std::string long_text(200000, 'x');
  for (const std::string& text : {std::string("abcdef"), long_text}) {
    CASE(text.size());
    const tokens::TokenText got =
        piped(text, [&](const std::string& pipe) { return read(pipe, *bytes, 1, 5); });
    CHECK(got.columns == 5);
    CHECK(got.ids.front() == text[1]);
  }
  put_tokens(folder / "ids", {5}, {1, 2, 3, 4, 5});
  const tokens::TokenText ids = piped(test::content(folder / "ids"), [&](const std::string& pipe) {
    return read(pipe, *bytes, 0, 4);
  });
  CHECK_SAME(ids.ids, test::Ids{1, 2, 3, 4});
  CHECK(contains(test::message([&] {
                   piped("", [&](const std::string& pipe) { return read(pipe, *bytes); });
                 }),
                 "a pipe into which nothing was written"));

  const auto vocabulary = [&](const std::string& file, std::size_t wanted) {
    return piped(test::content(test::reference(file)), [&](const std::string& pipe) {
      return tokens::choose_tokenizer("nowhere", wanted, pipe)->vocabulary();
    });
  };
  for (const auto& [file, wanted] :
       {std::pair{"gpt2.json", 0}, {"gpt-2.gguf", 0}, {"tiny.bin", 294}}) {
    const auto size = static_cast<std::size_t>(wanted);
    CHECK_AT(file,
             vocabulary(file, size) ==
                 tokens::choose_tokenizer("nowhere", size, test::reference(file))->vocabulary());
  }
}

TEST_CASE("text: bad input in one line, with its place") {
  const test::TemporaryFolder folder;
  test::put(folder / "t", "a\xC3\xA9z");
  put_tokens(folder / "wild.safetensors", {3}, {1, 256, 2});
  put_tokens(folder / "rows.safetensors", {2, 2}, {1, 2, 3, 4});
  put_tokens(folder / "single.safetensors", {2, 1}, {1, 2});
  const auto bytes = tokens::byte_level();
  const auto bpe = tokens::read_tokenizer_json(test::reference("gpt2.json"));
  const auto message = [&](const std::string& name, const test::Tokenizer& tokenizer,
                           std::size_t skip, std::optional<std::size_t> count, bool bos) {
    return test::message([&] { read(folder / name, tokenizer, skip, count, bos); });
  };
  CHECK(contains(message("t", *bpe, 2, {}, false), "t, from byte 2 on: "));
  CHECK(contains(message("t", *bytes, 9, {}, false), "fewer than the 9 to skip"));
  CHECK(contains(message("t", *bytes, 3, {}, false), "at least two"));
  CHECK(contains(message("t", *bytes, 0, 5, false), "fewer than the 5 asked for"));
  CHECK(contains(message("t", *bytes, 0, {}, true), "no BOS"));
  CHECK(contains(message("none", *bytes, 0, {}, false), "no such file"));
  CHECK(contains(message("wild.safetensors", *bytes, 0, {}, false), "token 1 is 256"));
  CHECK(contains(message("wild.safetensors", *bytes, 0, {}, true), "BOS"));
  CHECK(contains(message("rows.safetensors", *bytes, 0, 2, false), "of their own"));
  CHECK(contains(message("single.safetensors", *bytes, 0, {}, false), "at least two"));
}

TEST_CASE("text: bytes of an added token that is also a piece of the vocabulary") {
  const test::TemporaryFolder folder;
  auto json = test::json_of("gpt2.json");
  // U+0120 is the character of a space in the byte alphabet, U+00A9 that of the byte 0xA9.
  for (const char* content : {"\u0120", "\u00a9"})
    json["added_tokens"].push_back({{"content", content},
                                    {"id", json["model"]["vocab"][content]},
                                    {"special", false},
                                    {"normalized", false}});
  test::put(folder / "tokenizer.json", json.dump());
  const auto tokenizer = tokens::read_tokenizer_json(folder / "tokenizer.json");
  const auto check = [&](const std::string& content, const std::vector<std::uint32_t>& bytes) {
    CASE(content);
    test::put(folder / "t", content);
    CHECK_SAME(read(folder / "t", *tokenizer).bytes, bytes);
  };
  check("\n  \n", {1, 1, 1, 1});                 // spaces as bytes
  check("\n\u0120\n", {1, 2, 1});                // the added token itself
  check("\u00e9\u0120\u00e9", {1, 1, 2, 1, 1});  // the bytes C3 A9 around it
  check("\u00a9\n", {2, 1});
}

TEST_CASE("text: the tokenizer of a model") {
  const test::TemporaryFolder folder;
  CHECK(tokens::choose_tokenizer(folder.path(), 256, "")->vocabulary() == 256);
  CHECK(tokens::choose_tokenizer(folder.path(), 1000, "byte")->vocabulary() == 256);
  CHECK(contains(test::message([&] { tokens::choose_tokenizer(folder.path(), 1000, ""); }),
                 "name one with --tokenizer"));
  test::put(folder / "tokenizer.json", test::bytes_of(test::reference("gpt2.json")));
  CHECK(tokens::choose_tokenizer(folder.path(), 256, "")->vocabulary() > 256);
  CHECK(tokens::choose_tokenizer(folder.path(), 256, "byte")->vocabulary() == 256);
}

TEST_CASE("text: a GGUF file without a tokenizer is a model without one") {
  const test::TemporaryFolder folder;
  const auto choose = [&](const test::GgufBuilder& file, std::size_t vocabulary) {
    const std::vector<std::uint8_t> bytes = file.file();
    test::put(folder / "m.gguf", std::string(bytes.begin(), bytes.end()));
    return tokens::choose_tokenizer(folder / "m.gguf", vocabulary, "")->vocabulary();
  };
  const auto said = [](const char* model) {
    test::GgufBuilder file;
    file.put_text("tokenizer.ggml.model", model);
    return file;
  };
  const std::vector<test::GgufBuilder> without = {test::GgufBuilder(), said("none"),
                                                  said("no_vocab")};
  for (std::size_t i = 0; i < without.size(); ++i) {
    CASE(i);
    CHECK(choose(without[i], 256) == 256);
    const std::string message = test::message([&] { choose(without[i], 300); });
    CHECK(contains(message, "m.gguf: no tokenizer lies in it and its vocabulary is 300; "));
    CHECK(contains(message, "name one with --tokenizer: "));
  }
  // Half a tokenizer is an error, as is one that is not supported.
  test::GgufBuilder half;
  half.put_text("tokenizer.ggml.pre", "gpt-2");
  CHECK(contains(test::message([&] { choose(half, 256); }), "tokenizer.ggml.model is missing"));
  CHECK(contains(test::message([&] { choose(said("bert"), 256); }), "tokenizer.ggml.model"));
}

TEST_CASE("tokenizer.json: nested beyond reason") {
  const test::TemporaryFolder folder;
  std::string deep;
  for (int i = 0; i < 200000; ++i) deep += "{\"type\":\"Sequence\",\"processors\":[";
  test::put(folder / "deep.json", "{\"post_processor\":" + deep);
  CHECK(contains(test::message([&] { tokens::read_tokenizer_json(folder / "deep.json"); }),
                 "nested more than 64 deep"));
}
