#include <sys/stat.h>

#include <functional>

#include "check.hpp"
#include "files/support.hpp"
#include "gguf/builder.hpp"

using axelram::files::Shape;
using namespace axelram::gguf;
using namespace test;

namespace {

Gguf parse(const std::vector<std::uint8_t>& file) { return Gguf::parse(file, "x.gguf"); }

std::string failure(const std::vector<std::uint8_t>& file) {
  const std::string line = test::message([&] { parse(file); });
  CHECK(!contains(line, "\n"));
  return line;
}

/// Two tensors of F32 and one of Q8_0.
GgufBuilder small() {
  GgufBuilder b;
  b.put_text("general.architecture", "llama").u32("llama.block_count", 2);
  b.raw("yes", ValueType::boolean, "\1")
      .raw("real", ValueType::f32, std::string("\0\0\x80\x3F", 4));
  b.raw("negative", ValueType::i16, GgufBuilder::bytes(0xFFFE, 2));
  b.texts("names", {"a", "", "\xC3\xA9"});
  b.tensor("one", {4, 2}, 0, 0).tensor("two", {3}, 0, 32).tensor("blocks", {32, 1, 2}, 8, 64);
  return b;
}
const std::string kData(64 + 68, '\7');

}  // namespace

TEST_CASE("a GGUF file: metadata and tensors") {
  for (const std::uint32_t version : {2U, 3U}) {
    CASE(version);
    GgufBuilder builder = small();
    builder.version = version;
    const Gguf file = parse(builder.file(kData));
    CHECK(file.text("general.architecture") == "llama");
    CHECK(file.integer("llama.block_count") == 2);
    CHECK(file.integer("negative") == -2);
    CHECK(file.flag("yes"));
    CHECK(file.real("real") == 1.0);
    CHECK_SAME(file.texts("names"), std::vector<std::string_view>{"a", "", "\xC3\xA9"});
    CHECK(file.keys().size() == 6);
    REQUIRE(file.tensors().size() == 3);
    CHECK_SAME(file.find("one")->shape, Shape{2, 4});
    CHECK(file.find("two")->data == file.find("one")->data + 32);
    CHECK(file.find("blocks")->bytes == 68);
    CHECK(file.find("three") == nullptr);
  }
}

TEST_CASE("a GGUF file cut off at every byte") {
  const std::vector<std::uint8_t> whole = small().file(kData);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CASE(size);
    const std::string line = failure({whole.begin(), whole.begin() + static_cast<long>(size)});
    CHECK(contains(line, "x.gguf: "));
  }
  CHECK(failure(whole) == "");
}

TEST_CASE("a GGUF file: header and keys that are wrong") {
  GgufBuilder b = small();
  std::vector<std::uint8_t> file = b.file(kData);
  file[0] = 'X';
  CHECK(contains(failure(file), "it does not begin with GGUF"));
  for (const std::uint32_t version : {0U, 1U, 4U}) {
    CASE(version);
    b.version = version;
    CHECK(contains(failure(b.file(kData)), "GGUF version " + std::to_string(version)));
  }
  b.version = 0x03000000;
  CHECK(contains(failure(b.file(kData)), "big-endian"));

  const auto with = [](const std::function<void(GgufBuilder&)>& change) {
    GgufBuilder changed = small();
    change(changed);
    return failure(changed.file(kData));
  };
  CHECK(contains(with([](GgufBuilder& x) { x.u32("yes", 1); }), "yes is there twice"));
  CHECK(contains(with([](GgufBuilder& x) { x.u32("", 1); }), "it must be UTF-8 of 1..65535 bytes"));
  CHECK(contains(with([](GgufBuilder& x) { x.u32("\xFF", 1); }), "it must be UTF-8"));
  CHECK(contains(with([](GgufBuilder& x) { x.raw("k", 13, ""); }), "k: type 13"));
  CHECK(contains(with([](GgufBuilder& x) { x.u32("split.count", 3); }),
                 "split.count is 3; this is one part of a split file"));
  for (const std::uint32_t alignment : {0U, 3U, 48U, 1U << 21})
    CHECK_AT(alignment,
             contains(with([&](GgufBuilder& x) { x.u32("general.alignment", alignment); }),
                      "general.alignment is " + std::to_string(alignment)));
  CHECK(contains(with([](GgufBuilder& x) {
                   x.raw("general.alignment", ValueType::i32, GgufBuilder::bytes(0xFFFFFFFF, 4));
                 }),
                 "general.alignment is -1"));
  CHECK(contains(with([](GgufBuilder& x) { x.put_text("general.alignment", "32"); }),
                 "it must be a whole number"));
  // Lists: of lists, longer than the file, of a size whose product overflows.
  const auto list = [](std::uint32_t type, std::uint64_t count) {
    return GgufBuilder::bytes(type, 4) + GgufBuilder::bytes(count, 8);
  };
  for (const std::uint64_t count :
       {std::uint64_t{1} << 20, ~std::uint64_t{0} / 4 + 1, ~std::uint64_t{0}})
    for (const std::uint32_t type : {0U, 4U, 8U, 12U}) {
      CASE(count, type);
      CHECK(contains(with([&](GgufBuilder& x) { x.raw("k", ValueType::list, list(type, count)); }),
                     "was the file cut off?"));
    }
  CHECK(contains(with([&](GgufBuilder& x) { x.raw("k", ValueType::list, list(9, 1)); }),
                 "k: a list of lists"));
  CHECK(contains(with([](GgufBuilder& x) { x.keys_said = ~std::uint64_t{0}; }), "x.gguf: "));
  CHECK(contains(with([](GgufBuilder& x) { x.tensors_said = ~std::uint64_t{0}; }), "x.gguf: "));
}

TEST_CASE("a GGUF file: tensors that are wrong") {
  const auto with = [](const std::vector<std::uint64_t>& shape, std::uint32_t type,
                       std::uint64_t offset, const char* name = "new") {
    GgufBuilder changed = small();
    changed.tensor(name, shape, type, offset);
    return failure(changed.file(kData + std::string(28, '\0') + std::string(64, '\1')));
  };
  CHECK(with({16}, 0, 160) == "");
  CHECK(contains(with({16}, 0, 0), "it overlaps tensor "));
  CHECK(contains(with({8}, 0, 32), "overlaps"));
  CHECK(contains(with({16}, 0, 192), "tensor new: offset 192 and 64 bytes; the file has 224"));
  CHECK(contains(with({16}, 0, 161), "offset 161; it must be a multiple of the alignment, 32"));
  CHECK(contains(with({16}, 0, ~std::uint64_t{31}), "was it cut off?"));
  CHECK(contains(with({16}, 0, 160, "one"), "tensor one: it is there twice"));
  CHECK(contains(with({}, 0, 160), "rank 0; the format has 1..4"));
  CHECK(contains(with({1, 1, 1, 1, 1}, 0, 160), "rank 5"));
  CHECK(contains(with({0}, 0, 160), "shape [0]; it must have 1..2^56 values"));
  CHECK(contains(with({std::uint64_t{1} << 33, std::uint64_t{1} << 33}, 0, 160), "2^56 values"));
  CHECK(contains(with({~std::uint64_t{0}}, 0, 160), "2^56 values"));
  CHECK(contains(with({16}, 16, 160), "type 16; supported are F32, F16"));
  CHECK(contains(with({16}, 8, 160), "rows of 16 values; blocks of Q8_0 have 32"));
  CHECK(contains(with({32}, 14, 160), "blocks of Q6_K have 256"));
}

TEST_CASE("values of another type, and missing ones") {
  const Gguf file = parse(small().file(kData));
  const auto line = [&](const std::function<void()>& read) { return test::message(read); };
  CHECK(contains(line([&] { file.integer("nothing"); }), "x.gguf: nothing is missing"));
  CHECK(contains(line([&] { file.integer("names"); }), "names is a list of 3; it must be a whole"));
  CHECK(
      contains(line([&] { file.integer("real"); }), "real is 1.000000; it must be a whole number"));
  CHECK(file.real("negative") == -2);  // a whole number is a number
  CHECK(contains(line([&] { file.real("yes"); }), "yes is true; it must be a finite number"));
  CHECK(contains(line([&] { file.flag("real"); }), "it must be true or false"));
  CHECK(contains(line([&] { file.text("yes"); }), "yes is true; it must be a text"));
  CHECK(contains(line([&] { file.texts("yes"); }), "it must be a list of texts"));
  CHECK(contains(line([&] { file.integers("names"); }), "it must be a list of whole numbers"));
  CHECK(contains(line([&] { file.reals("names"); }), "it must be a list of F32"));
  CHECK(contains(line([&] { file.fail("general.architecture", "no"); }), "is 'llama'; no"));
  GgufBuilder infinite;
  infinite.raw("r", ValueType::f32, std::string("\0\0\x80\x7F", 4));
  CHECK(contains(line([&] { parse(infinite.file()).real("r"); }), "it must be a finite number"));
  GgufBuilder large;
  large.raw("n", ValueType::u64, GgufBuilder::bytes(~std::uint64_t{0}, 8));
  CHECK(parse(large.file()).integer("n") == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("what is a GGUF file by its first bytes; a pipe is not waited for") {
  const test::TemporaryFolder folder;
  test::put(folder / "is", "GGUF and more");
  test::put(folder / "cut", "GGU");
  test::put(folder / "other", "safetensors");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(Gguf::is_gguf(folder / "is"));
  for (const std::string name : {"cut", "other", "pipe", "none", ""}) {
    CASE(name);
    CHECK_FALSE(Gguf::is_gguf(folder / name));
  }
}
