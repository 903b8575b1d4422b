#include "axelram/files/trace.hpp"

#include "support.hpp"

using namespace axelram;
using namespace axelram::files;
using test::contains;

namespace {

Parameters narrow(ElementFormat format = ElementFormat::fp16) {
  return {.head_dim = 32, .element_format = format};
}

std::vector<std::uint16_t> rows(std::size_t count) {
  std::vector<std::uint16_t> values(count * 32);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i);
  return values;
}

}  // namespace

TEST_CASE("a written trace is read") {
  const test::TemporaryFolder folder;
  for (const ElementFormat format : {ElementFormat::fp16, ElementFormat::bf16})
    for (const std::size_t keys : {0U, 1U, 3U})
      for (const std::size_t queries : {0U, 2U}) {
        CASE(format, keys, queries);
        const Trace trace{format, 32, rows(keys), rows(queries), {{"layer", "1"}}};
        write_trace(folder / "t", trace, true);
        const Trace got = read_trace(folder / "t", narrow(format), 3);
        CHECK(got.element_format == format);
        CHECK(got.key_count() == keys);
        CHECK(got.query_count() == queries);
        CHECK_SAME(got.keys, trace.keys);
        CHECK_SAME(got.queries, trace.queries);
        CHECK_SAME(got.metadata, trace.metadata);
        write_trace(folder / "again", got, true);
        CHECK_SAME(test::content(folder / "again"), test::content(folder / "t"));
      }
}

TEST_CASE("a trace that the macro cannot take") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "t";
  const auto message = [&](int max_keys = 3, Parameters p = narrow()) {
    return test::message([&] { read_trace(path, p, max_keys); });
  };
  write_trace(path, {ElementFormat::fp16, 32, rows(3), rows(2), {}}, true);
  CHECK(message() == "");
  CHECK(message(2) == path + ": tensor keys: 3 keys; max_keys of the configuration allows 2");
  CHECK(message(3, Parameters()) ==
        path +
            ": tensor keys: shape is [3, 32]; the configuration's head_dim asks for [rows, 128]");
  CHECK(message(3, narrow(ElementFormat::bf16)) ==
        path + ": tensor keys: dtype is F16; it must be BF16");

  const auto values = rows(2);
  const auto write = [&](const char* name, DataType type, const Shape& shape) {
    const auto good = rows(2);
    const bool is_keys = std::string(name).rfind("key", 0) == 0;
    write_safetensors(path,
                      {view(is_keys ? "queries" : "keys", DataType::f16, {2, 32}, good),
                       view(name, type, shape, values)},
                      {}, true);
  };
  write("queries", DataType::f16, {1, 64});
  CHECK(contains(message(), "tensor queries: shape is [1, 64]"));
  write("queries", DataType::f16, {1, 2, 32});
  CHECK(contains(message(), "tensor queries: shape is [1, 2, 32]; it must have 2 dimensions"));
  write("queries", DataType::i16, {2, 32});
  CHECK(contains(message(), "tensor queries: dtype is I16; it must be F16"));
  write("query", DataType::f16, {2, 32});
  CHECK(contains(message(), "no tensor 'queries'; the file holds keys, query"));
  write("keys", DataType::f16, {64});
  CHECK(contains(message(), "tensor keys: shape is [64]; it must have 2 dimensions"));
  write("key", DataType::f16, {2, 32});
  CHECK(contains(message(), "no tensor 'keys'"));
}

TEST_CASE("NaN and infinity are named") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "t";
  for (const bool bf16 : {false, true}) {
    CASE(bf16);
    const ElementFormat format = bf16 ? ElementFormat::bf16 : ElementFormat::fp16;
    const std::vector<std::uint16_t> bad =
        bf16 ? std::vector<std::uint16_t>{0x7f80, 0xff80, 0x7fc0, 0xff81}
             : std::vector<std::uint16_t>{0x7c00, 0xfc00, 0x7e00, 0xfc01};
    for (const std::uint16_t bits : bad)
      for (const bool in_keys : {false, true}) {
        CASE(bits, in_keys);
        Trace trace{format, 32, rows(3), rows(3), {}};
        auto& values = in_keys ? trace.keys : trace.queries;
        values[2 * 32 + 17] = bits;
        values[2 * 32 + 18] = bits;
        write_trace(path, trace, true);
        CHECK(test::message([&] { read_trace(path, narrow(format), 3); }) ==
              path + ": tensor " + (in_keys ? "keys" : "queries") +
                  ", row 2, column 17: NaN or infinity; every element must be finite");
        values[2 * 32 + 17] = values[2 * 32 + 18] = bf16 ? 0x7f7f : 0xfbff;
        write_trace(path, trace, true);
        CHECK(test::message([&] { read_trace(path, narrow(format), 3); }) == "");
      }
  }
}

TEST_CASE("other tensors of a trace are left alone") {
  const test::TemporaryFolder folder;
  const auto values = rows(1);
  const std::vector<double> other = {1.0};
  write_safetensors(
      folder / "t",
      {view("values", DataType::f64, {}, other), view("queries", DataType::f16, {1, 32}, values),
       view("keys", DataType::f16, {1, 32}, values)},
      {}, false);
  CHECK_SAME(read_trace(folder / "t", narrow(), 1).keys, values);
}
