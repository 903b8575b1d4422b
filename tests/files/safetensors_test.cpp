#include "axelram/files/safetensors.hpp"

#include <sys/stat.h>

#include <thread>

#include "needs.hpp"
#include "support.hpp"

using namespace axelram::files;
using test::contains;

namespace {

std::vector<std::uint8_t> file_of(const std::string& header, const std::string& data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  bytes += header + data;
  return {bytes.begin(), bytes.end()};
}

Safetensors parse(const std::string& header, const std::string& data) {
  return Safetensors::parse(file_of(header, data), "f");
}

std::string rejection(const std::string& header, const std::string& data) {
  return test::message([&] { parse(header, data); });
}

/// Error message for one tensor `a` with these fields and four bytes of data.
std::string rejection_of(const std::string& fields) {
  return rejection("{\"a\":{" + fields + "}}", "0123");
}

}  // namespace

TEST_CASE("bytes of a written file") {
  const std::vector<std::uint8_t> bytes = {1, 2};
  const std::vector<std::int32_t> words = {-1};
  const std::string header = safetensors_header(
      {view("z", DataType::u8, {2, 1}, bytes), view("a\"\n", DataType::i32, {}, words)},
      {{"text", "\xc3\xa9"}, {"b", ""}});
  const std::string json =
      "{\"__metadata__\":{\"b\":\"\",\"text\":\"\xc3\xa9\"},"
      "\"z\":{\"dtype\":\"U8\",\"shape\":[2,1],\"data_offsets\":[0,2]},"
      "\"a\\\"\\n\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[2,6]}}";
  CHECK(header.substr(8) == json + std::string((8 - json.size() % 8) % 8, ' '));
  CHECK(header.substr(0, 8) ==
        std::string(1, static_cast<char>(header.size() - 8)) + std::string(7, '\0'));
  CHECK(safetensors_header({}, {}) == std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
}

TEST_CASE("what is written is read") {
  const test::TemporaryFolder folder;
  const std::vector<std::uint16_t> halves = {0x3c00, 0x7e00, 0xffff};
  const std::vector<double> doubles = {-0.0, 1e300};
  const std::vector<std::int64_t> none;
  const Metadata metadata = {{"model", "m"}, {"layer", "2"}};
  write_safetensors(folder / "f",
                    {view("b", DataType::bf16, {3}, halves), view("e", DataType::i64, {0, 7}, none),
                     view("a", DataType::f64, {1, 2, 1}, doubles)},
                    metadata, false);
  const Safetensors file = Safetensors::read(folder / "f");
  CHECK(file.origin() == (folder / "f"));
  CHECK_SAME(file.metadata(), metadata);
  REQUIRE(file.tensors().size() == 3);
  CHECK(file.tensors()[0].name == "b");
  CHECK(file.tensors()[1].name == "e");
  CHECK(file.tensors()[2].name == "a");
  CHECK_SAME(file.at("b", DataType::bf16, 1).values<std::uint16_t>(), halves);
  CHECK_SAME(file.at("a", DataType::f64, 3).values<double>(), doubles);
  CHECK_SAME(file.at("e", DataType::i64, 2).shape, Shape{0, 7});
  CHECK(file.at("e").values<std::int64_t>().empty());
  CHECK(file.find("c") == nullptr);
  CHECK(file.metadata_at("model") == "m");
  CHECK_THROWS_AS(file.at("b").values<std::uint8_t>(), std::logic_error);

  const Safetensors moved = [&] { return Safetensors::read(folder / "f"); }();
  CHECK_SAME(moved.at("b").values<std::uint16_t>(), halves);
}

TEST_CASE("every type by name and size") {
  const std::vector<std::uint8_t> bytes(8);
  const char* names[] = {"BOOL", "U8",  "I8",  "F8_E4M3", "F8_E5M2", "U16", "I16", "F16",
                         "BF16", "U32", "I32", "F32",     "U64",     "I64", "F64"};
  for (int i = 0; i < 15; ++i) {
    CASE(i);
    const auto type = static_cast<DataType>(i);
    CHECK(std::string(name_of(type)) == names[i]);
    const std::uint64_t size = i < 5 ? 1 : i < 9 ? 2 : i < 12 ? 4 : 8;
    CHECK(size_of(type) == size);
    const Tensor tensor = view("t", type, {8 / size}, bytes);
    const std::string header = safetensors_header({tensor}, {});
    const Safetensors file = parse(header.substr(8), "01234567");
    CHECK(file.at("t", type, 1).elements() == 8 / size);
  }
}

TEST_CASE("what cannot be written") {
  const std::vector<std::uint8_t> bytes(4);
  const Tensor good = view("t", DataType::u8, {4}, bytes);
  CHECK_THROWS_AS(safetensors_header({good, good}, {}), std::logic_error);
  CHECK_THROWS_AS(safetensors_header({view("t", DataType::u8, {5}, bytes)}, {}), std::logic_error);
  CHECK_THROWS_AS(safetensors_header({view("t", DataType::u16, {4}, bytes)}, {}), std::logic_error);
  CHECK_THROWS_AS(safetensors_header({view("__metadata__", DataType::u8, {4}, bytes)}, {}),
                  std::logic_error);
  CHECK(contains(test::message([] { safetensors_header({}, {{"text", "\xff"}}); }), "not UTF-8"));
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS(write_safetensors(folder / "f", {view("t", DataType::u8, {5}, bytes)}, {}, false),
                  std::logic_error);
  CHECK(folder.entries() == 0);
}

TEST_CASE("lookups that fail") {
  const Safetensors file =
      parse("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", "0123");
  CHECK(test::message([&] { file.at("b"); }) == "f: no tensor 'b'; the file holds a");
  CHECK(test::message([&] { parse("{}", "").at("b"); }) == "f: no tensor 'b'; the file holds none");
  CHECK(test::message([&] { file.at("a", DataType::i8, 1); }) ==
        "f: tensor a: dtype is U8; it must be I8");
  CHECK(test::message([&] { file.at("a", DataType::u8, 2); }) ==
        "f: tensor a: shape is [4]; it must have 2 dimensions");
  CHECK(test::message([&] { file.metadata_at("k"); }) ==
        "f: no metadata 'k'; the file must state it");
}

TEST_CASE("the order of the header is free, spaces around it too") {
  const Safetensors file = parse(
      "{ \"b\" : {\"data_offsets\":[2,4],\"shape\":[1],\"dtype\":\"F16\"},\n"
      "\"e\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[2,2]},\t"
      "\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}  ",
      "0123");
  CHECK(file.tensors()[0].name == "a");
  CHECK(file.tensors()[1].name == "e");
  CHECK(file.tensors()[2].name == "b");
  CHECK(parse("{}", "").tensors().empty());
  CHECK(parse("{\"__metadata__\":{}}", "").metadata().empty());
}

TEST_CASE("metadata that are null are none") {
  for (const char* header :
       {"{\"__metadata__\":null,\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},\"__metadata__\": null "
        "}"}) {
    CASE(header);
    const Safetensors file = parse(header, "0123");
    CHECK(file.metadata().empty());
    CHECK(file.at("a").bytes == 4);
  }
  CHECK(contains(rejection("{\"__metadata__\":{\"a\":null}}", ""), "the metadata 'a' is null"));
  CHECK(contains(rejection("{\"__metadata__\":null,\"__metadata__\":null}", ""), "repeats"));
  CHECK(contains(rejection("{\"a\":null}", ""), "it is null"));
}

TEST_CASE("a broken frame") {
  const auto message = [](const std::string& bytes) {
    return test::message([&] { Safetensors::parse({bytes.begin(), bytes.end()}, "f"); });
  };
  CHECK(message("") == "f: 0 bytes are too few for a safetensors file");
  CHECK(contains(message("1234567"), "too few"));
  CHECK(contains(message(std::string("\x03\0\0\0\0\0\0\0{}", 10)), "announce a header of 3 bytes"));
  CHECK(contains(message(std::string(8, '\xff')), "header of 18446744073709551615 bytes"));
  CHECK(contains(message(std::string("\x01\xe1\xf5\x05\0\0\0\0{}", 10)), "announce"));
  CHECK(contains(message(std::string(8, '\0')), "must be JSON text that starts with {"));
  CHECK(contains(rejection(" {}", ""), "starts with {"));
  CHECK(contains(rejection("\xef\xbb\xbf{}", ""), "starts with {"));
  CHECK(contains(rejection(std::string("{}\0\0", 4), ""), "starts with {"));
  CHECK(contains(rejection("{} {}", ""), "not JSON"));
  CHECK(contains(rejection("{\"a\"", ""), "not JSON"));
  CHECK(contains(rejection("{\"a\n\":1}", ""), "not JSON"));
  CHECK(contains(rejection("{\"\xff\":{}}", ""), "not JSON"));
  CHECK(contains(rejection("[]", ""), "starts with {"));
  // Deep nesting is rejected at its start.
  CHECK(contains(rejection("{\"a\":" + std::string(1000000, '['), ""), "it is a list"));
}

TEST_CASE("a header of another form") {
  CHECK(contains(rejection("{\"a\":1}", ""), "tensor a: it is a number; it must be an object"));
  CHECK(contains(rejection("{\"a\":null}", ""), "it is null"));
  CHECK(contains(rejection("{\"a\":true}", ""), "it is a truth value"));
  CHECK(contains(rejection("{\"a\":\"x\"}", ""), "it is the text 'x'"));
  CHECK(
      contains(rejection("{\"a\":{}}", ""), "incomplete; it needs dtype, shape and data_offsets"));
  CHECK(contains(rejection("{\"a\":{},\"a\":{}}", ""), "incomplete"));
  CHECK(contains(rejection("{\"__metadata__\":[]}", ""), "__metadata__ is a list; it must be"));
  CHECK(contains(rejection("{\"__metadata__\":{\"a\":1}}", ""),
                 "'a' is a number; it must be a text"));
  CHECK(contains(rejection("{\"__metadata__\":{\"a\":{}}}", ""), "'a' is an object"));
  CHECK(contains(rejection("{\"__metadata__\":{\"a\":null}}", ""), "'a' is null"));
  CHECK(contains(rejection("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}", ""), "key 'a' repeats"));
  CHECK(contains(rejection("{\"__metadata__\":{},\"__metadata__\":{}}", ""), "repeats"));
  const std::string good = "\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]";
  CHECK(rejection_of(good) == "");
  CHECK(contains(rejection("{\"a\":{" + good + "},\"a\":{" + good + "}}", "0123"),
                 "the name 'a' repeats"));
  CHECK(contains(rejection_of(good + ",\"dtype\":\"U8\""), "'dtype' repeats"));
  CHECK(contains(rejection_of(good + ",\"x\":1"), "unknown key 'x'"));
  CHECK(contains(rejection_of("\"dtype\":\"U8\",\"shape\":[4]"), "incomplete"));
  CHECK(contains(rejection_of("\"dtype\":\"u8\",\"shape\":[4],\"data_offsets\":[0,4]"),
                 "unknown dtype 'u8'"));
  CHECK(contains(rejection_of("\"dtype\":1"), "dtype is a number"));
  for (const char* extent :
       {"-1", "-0", "1.0", "1e0", "\"4\"", "null", "true", "[4]", "{}", "18446744073709551616"}) {
    CASE(extent);
    const std::string list = std::string("[") + extent + "]";
    CHECK(contains(rejection_of("\"shape\":" + list), "tensor a: shape or data_offsets holds"));
    CHECK(contains(rejection_of("\"data_offsets\":" + list), "shape or data_offsets holds"));
  }
  CHECK(contains(rejection_of("\"shape\":4"), "shape or data_offsets holds a number"));
  for (const char* list : {"[]", "[0]", "[0,4,4]"}) {
    CASE(list);
    CHECK_AT(list, contains(rejection_of(std::string("\"data_offsets\":") + list),
                            "must be two numbers"));
  }
}

TEST_CASE("offsets that do not cover the data once") {
  const auto of = [](const std::string& type, const std::string& shape,
                     const std::string& offsets) {
    return rejection_of("\"dtype\":\"" + type + "\",\"shape\":" + shape +
                        ",\"data_offsets\":" + offsets);
  };
  CHECK(of("U8", "[4]", "[0,4]") == "");
  CHECK(contains(of("U8", "[5]", "[0,5]"), "exceed the file; its data are 4 bytes"));
  CHECK(contains(of("U8", "[5]", "[0,4]"), "which need 5 bytes"));
  CHECK(contains(of("U16", "[4]", "[0,4]"), "contradict dtype U16 and shape [4]"));
  CHECK(contains(of("U8", "[3]", "[0,3]"), "1 bytes after the last tensor belong to none"));
  CHECK(contains(of("U8", "[3]", "[1,4]"), "leave a hole after"));
  CHECK(contains(of("U8", "[4]", "[4,0]"), "end before they begin"));
  CHECK(contains(of("U8", "[0]", "[0,0]"), "4 bytes after the last tensor"));
  CHECK(contains(of("U8", "[4294967296,4294967296]", "[0,0]"), "more bytes than fit 64 bits"));
  CHECK(contains(of("F64", "[2305843009213693952]", "[0,0]"), "more bytes than fit 64 bits"));
  CHECK(contains(of("U8", "[0,4294967296,4294967296]", "[0,0]"), "more bytes than fit 64 bits"));
  CHECK(
      contains(of("U8", "[18446744073709551615]", "[0,18446744073709551615]"), "exceed the file"));
  CHECK(contains(of("U8", "[18446744073709551615]", "[4,3]"), "end before they begin"));
  const auto two = [](const std::string& first, const std::string& second) {
    const std::string start = ":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":";
    return rejection("{\"a\"" + start + first + "},\"b\"" + start + second + "}}", "0123");
  };
  CHECK(two("[0,2]", "[2,4]") == "");
  CHECK(two("[2,4]", "[0,2]") == "");
  CHECK(contains(two("[0,2]", "[0,2]"), "overlap the tensor before; they must begin at 2"));
  CHECK(contains(two("[0,2]", "[1,3]"), "overlap"));
  CHECK(contains(two("[0,2]", "[3,5]"), "hole"));
}

TEST_CASE("names with control characters stay on one line") {
  CHECK(rejection("{\"a\\n\\u0000\":{}}", "") ==
        "f: tensor a\\x0a\\x00: incomplete; it needs dtype, shape and data_offsets");
}

TEST_CASE("a pipe without a writer is an error, not an endless wait") {
  const test::TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(contains(test::message([&] { Safetensors::read(folder / "pipe"); }),
                 "a pipe into which nothing was written; start its writer first"));
  CHECK(contains(test::message([&] { Safetensors::map(folder / "pipe"); }), "no regular file"));
}

TEST_CASE("pipes, and files that hide their size, are read to the end") {
  const test::TemporaryFolder folder;
  const std::vector<std::uint8_t> bytes(300000, 7);
  write_safetensors(folder / "f", {view("t", DataType::u8, {300000}, bytes)}, {}, false);
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::thread writer([&] { test::put(folder / "pipe", test::content(folder / "f")); });
  CHECK_SAME(Safetensors::read(folder / "pipe").at("t").values<std::uint8_t>(), bytes);
  writer.join();
  CHECK(contains(test::message([] { Safetensors::read("/proc/version"); }), "announce a header"));
}

TEST_CASE("files from elsewhere" * test::needs_data) {
  const std::string data = test::data();
  const std::filesystem::path folder(data);
  const Safetensors qwen =
      Safetensors::read(folder / "traces/qwen3-0.6b-layer8-attention.safetensors");
  CHECK(qwen.metadata_at("model") == "Qwen3-0.6B");
  CHECK_SAME(qwen.at("key_states", DataType::f32, 4).shape, Shape{2, 16, 8, 128});
  const Safetensors model = Safetensors::read(folder / "models/byte-llama-d128/model.safetensors");
  CHECK(model.at("model.embed_tokens.weight", DataType::f16, 2).elements() == 65536);
}
