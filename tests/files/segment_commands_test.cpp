// Values and commands of a trace for a macro with attention.
#include "axelram/files/segment_commands.hpp"

#include "axelram/files/trace.hpp"
#include "support.hpp"

using namespace axelram;
using namespace axelram::files;
using test::contains;

namespace {

using Kind = SegmentCommand::Kind;

/// Two segments of a store of 8 places, groups of two queries.
Config two_segments() {
  return parse_config(
      "macro: {head_dim: 32, max_keys: 8}\nattention: {group: 2}\nstore: {segments: 2}", "c.yaml",
      "");
}

std::vector<std::uint16_t> vectors(std::size_t count) {
  std::vector<std::uint16_t> values(count * 32);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i);
  return values;
}

/// Writes a trace with these commands, seven numbers each, and reads it.
class Written {
 public:
  std::size_t keys = 2, queries = 2, values = 2;
  std::vector<std::int32_t> commands;
  Shape shape;

  Trace read() const {
    const auto k = vectors(keys), q = vectors(queries), v = vectors(values);
    write_safetensors(path(),
                      {view("keys", DataType::f16, {keys, 32}, k),
                       view("queries", DataType::f16, {queries, 32}, q),
                       view("values", DataType::f16, {values, 32}, v),
                       view("commands", DataType::i32,
                            shape.empty() ? Shape{commands.size() / 7, 7} : shape, commands)},
                      {}, true);
    return read_trace(path(), two_segments());
  }
  std::string message() const {
    return test::message([this] { read(); });
  }
  std::string path() const { return folder_ / "t"; }

 private:
  test::TemporaryFolder folder_;
};

// clang-format off
const std::vector<std::int32_t> kSeveral = {
    0, 0, 0, 5, 2, 0, 1,
    0, 1, 5, 3, 0, 0, 0,
    1, 0, 0, 0, 0, 0, 0,
    1, 255, 0, 0, 0, 0, 0,
    2, 1, 0, 0, 0, 0, 0,
    3, 0, 8, 0, 0, 0, 0,
    4, 1, 0, 0, 0, 0, 0};
// clang-format on

}  // namespace

TEST_CASE("commands of a trace, in their order") {
  Written trace;
  trace.commands = kSeveral;
  const Trace read = trace.read();
  CHECK_SAME(*read.values, vectors(2));
  REQUIRE(read.commands->size() == 7);
  const auto& commands = *read.commands;
  CHECK(commands[0].kind == Kind::allocate);
  CHECK(commands[0].segment == 0);
  CHECK(commands[0].allocation.base == 0);
  CHECK(commands[0].allocation.capacity == 5);
  CHECK(commands[0].allocation.sinks == 2);
  CHECK(commands[0].allocation.rotation == 0);
  CHECK(commands[0].allocation.wrap);
  CHECK(commands[1].segment == 1);
  CHECK(commands[1].allocation.base == 5);
  CHECK_FALSE(commands[1].allocation.wrap);
  CHECK(commands[2].kind == Kind::append);
  CHECK(commands[3].segment == 255);
  CHECK(commands[4].kind == Kind::attend);
  CHECK(commands[5].kind == Kind::evict);
  CHECK(commands[5].n == 8);
  CHECK(commands[6].kind == Kind::free);
  const std::string bytes = test::content(trace.path());
  write_trace(trace.path(), read, true);
  CHECK_SAME(test::content(trace.path()), bytes);
}

TEST_CASE("commands that no macro takes are rejected, with their row") {
  const auto is = [](std::size_t row, std::size_t column, std::int32_t number,
                     const std::string& message) {
    Written trace;
    trace.commands = kSeveral;
    trace.commands[row * 7 + column] = number;
    CASE(message);
    CHECK(trace.message() == trace.path() + ": tensor commands" + message);
  };
  const std::string codes = "; it must be 0 allocate, 1 append, 2 attend, 3 evict or 4 free";
  is(6, 0, 5, ", row 6: code 5" + codes);
  is(6, 0, -1, ", row 6: code -1" + codes);
  is(0, 1, 256, ", row 0: column 1, segment, is 256; it must lie in 0..255");
  is(0, 1, -1, ", row 0: column 1, segment, is -1; it must lie in 0..255");
  is(0, 2, 9, ", row 0: column 2, base, is 9; it must lie in 0..8");
  is(0, 3, 9, ", row 0: column 3, capacity, is 9; it must lie in 0..8");
  is(0, 4, -1, ", row 0: column 4, sinks, is -1; it must lie in 0..8");
  is(0, 5, 256, ", row 0: column 5, rotation, is 256; it must lie in 0..255");
  is(0, 6, 2, ", row 0: column 6, wrap, is 2; it must lie in 0..1");
  is(5, 2, 9, ", row 5: column 2, n, is 9; it must lie in 0..8");
  is(5, 3, 1, ", row 5: column 3, an unused field, is 1; it must be 0");
  is(2, 2, 1, ", row 2: column 2, an unused field, is 1; it must be 0");
  is(4, 6, 1, ", row 4: column 6, an unused field, is 1; it must be 0");
  is(6, 2, -1, ", row 6: column 2, an unused field, is -1; it must be 0");
  is(2, 0, 4, ": 1 appends; the rows of keys ask for 2");
  is(6, 0, 2, ": 2 attends; the groups of queries ask for 1");
  is(1, 2, 4, ", row 1: segment 1 overlaps segment 0; free that one first, or give other places");

  Written trace;
  trace.commands = kSeveral;
  trace.queries = 3;
  CHECK(trace.message() ==
        trace.path() + ": tensor queries: 3 rows; with commands they must be whole groups of 2");
  trace.queries = 2;
  trace.shape = {49, 1};
  CHECK(contains(trace.message(), "tensor commands: shape is [49, 1]; it must be [rows, 7]"));
}

TEST_CASE("an allocation that the macro rejects overlaps nothing") {
  Written trace;
  trace.keys = trace.values = trace.queries = 0;
  // clang-format off
  trace.commands = {
      0, 0, 0, 8, 0, 0, 0,
      0, 0, 0, 8, 0, 0, 0,   // segment 0 is not free
      0, 1, 0, 7, 8, 0, 0,   // more sinks than places
      0, 9, 0, 8, 0, 0, 0,   // no such segment
      4, 0, 0, 0, 0, 0, 0,
      0, 1, 0, 8, 0, 0, 0};
  // clang-format on
  CHECK(trace.message() == "");
}

TEST_CASE("with commands a trace may have more tokens than the store has places") {
  Written trace;
  trace.keys = trace.values = 9;
  trace.queries = 0;
  for (int i = 0; i < 9; ++i) trace.commands.insert(trace.commands.end(), {1, 0, 0, 0, 0, 0, 0});
  CHECK(trace.message() == "");
}

TEST_CASE("a macro with attention needs values, one for each key") {
  const test::TemporaryFolder folder;
  Trace trace{ElementFormat::fp16, 32, vectors(3), vectors(1), {}};
  const auto message = [&] {
    write_trace(folder / "t", trace, true);
    return test::message([&] { read_trace(folder / "t", two_segments()); });
  };
  CHECK(contains(message(), "no tensor 'values'; the file holds keys, queries"));
  trace.values = vectors(3);
  CHECK(message() == "");
  const Trace got = read_trace(folder / "t", two_segments());
  CHECK(got.values == trace.values);
  CHECK_FALSE(got.commands.has_value());
  (*trace.values)[40] = 0x7c00;
  CHECK(contains(message(), "tensor values, row 1, column 8: NaN or infinity"));
  trace.keys = vectors(9);
  trace.values = vectors(9);
  CHECK(contains(message(), "tensor keys: 9 keys; max_keys of the configuration allows 8"));

  const auto two = vectors(2), three = vectors(3);
  write_safetensors(
      folder / "t",
      {view("keys", DataType::f16, {3, 32}, three), view("queries", DataType::f16, {2, 32}, two),
       view("values", DataType::f16, {2, 32}, two)},
      {}, true);
  CHECK(contains(test::message([&] { read_trace(folder / "t", two_segments()); }),
                 "tensor values: 2 rows; it must have 3, one for each row of keys"));
}

TEST_CASE("a trace without commands fills one segment and attends in groups") {
  const std::vector<SegmentCommand> commands = default_commands(two_segments(), 3, 5);
  REQUIRE(commands.size() == 7);
  CHECK(commands[0].kind == Kind::allocate);
  CHECK(commands[0].segment == 0);
  CHECK(commands[0].allocation.base == 0);
  CHECK(commands[0].allocation.capacity == 8);
  CHECK(commands[0].allocation.sinks == 0);
  CHECK(commands[0].allocation.rotation == 0);
  CHECK_FALSE(commands[0].allocation.wrap);
  for (std::size_t i = 1; i < 7; ++i) {
    CASE(i);
    CHECK(commands[i].kind == (i < 4 ? Kind::append : Kind::attend));
    CHECK(commands[i].segment == 0);
  }
}
