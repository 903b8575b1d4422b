#include "axelram/report/token.hpp"

#include <map>

#include "axelram/report/report.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/driver.hpp"
#include "check.hpp"
#include "files/support.hpp"
#include "report/fields.hpp"
#include "small_configs.hpp"
#include "sram_files.hpp"

namespace axelram::report {
namespace {

using test::contains;

constexpr const char* kShape = "layers=3,kv_heads=2,query_heads=6,context=100";
/// Two arrays of 64 bits for a record of 112: 2 * 10 pJ of a read, 2 * 30 of a write.
constexpr const char* kPoint =
    "a: {node: 45, voltage: 0.9, words: 40, bits: 64, ports: 1r1w, read: 10, write: 30, "
    "source: A}\n";
constexpr const char* kTable = "sram: {model: table, file: t.yaml}\n";

/// Lines of the section, by name.
std::map<std::string, Line> token_lines(const std::string& yaml, const DecodingStep* step) {
  const test::TemporaryFolder folder;
  test::put(folder / "t.yaml", kPoint);
  std::map<std::string, Line> found;
  for (const Line& line :
       report(files::parse_config(yaml, "x.yaml", folder.path()), {}, {}, nullptr, step))
    if (line.section == "a token") found[line.name] = line;
  return found;
}

const std::string kMacro = "macro: {head_dim: 32, max_keys: 40}\n";

std::uint64_t whole(const Line& line) { return std::get<std::uint64_t>(line.value); }
double real(const Line& line) { return std::get<double>(line.value); }

/// Remembers the cycle of the last score.
struct LastScore : sim::Observer {
  explicit LastScore(const sim::Driver& of) : driver(of) {}
  void on_score(std::uint32_t, bool, bool) override { cycle = driver.cycle(); }
  const sim::Driver& driver;
  std::uint64_t cycle = 0;
};

}  // namespace

TEST_CASE("a shape is read in any order, and says what is wrong with it") {
  const ModelShape shape{30, 3, 9, 2048};
  CHECK_SAME(parse_model_shape("layers=30,kv_heads=3,query_heads=9,context=2048"), shape);
  CHECK_SAME(parse_model_shape("context=2048,query_heads=9,kv_heads=3,layers=30"), shape);
  const std::pair<const char*, const char*> wrong[] = {
      {"", "layers is not given; give layers=N,kv_heads=N,query_heads=N,context=N"},
      {"layers=1,kv_heads=1,query_heads=1", "context is not given"},
      {"heads=1", "'heads=1' is no part of a shape; give layers=N"},
      {"layers", "'layers' is no part of a shape"},
      {"layers=1,layers=1", "layers is given twice"},
      {"layers=0", "layers is '0'; give a whole number, 1 .. 1024"},
      {"layers=1025", "layers is '1025'"},
      {"kv_heads=-1", "kv_heads is '-1'"},
      {"context= 5", "context is ' 5'; give a whole number, 1 .. 1073741824"},
      {"context=1e3", "context is '1e3'"},
      {"query_heads=99999999999999999999", "query_heads is '99999999999999999999'"},
      {"layers=1,kv_heads=3,query_heads=10,context=1",
       "query_heads is 10; give a multiple of kv_heads, 3"}};
  for (const auto& [text, part] : wrong) {
    CASE(text);
    try {
      parse_model_shape(text);
      FAIL_CHECK("taken");
    } catch (const files::InputError& error) {
      CASE(error.what());
      CHECK(contains(error.what(), part));
    }
  }
}

TEST_CASE("macros, bytes and accesses of a token by hand") {
  const DecodingStep step{parse_model_shape(kShape), 4};
  auto lines = token_lines(kMacro + kTable, &step);
  // 100 keys in macros of 40, 40 and 20; three queries for each KV head.
  CHECK(whole(lines["token_macros"]) == 3 * 2 * 3);
  CHECK(whole(lines["token_key_bytes"]) == 3 * 2 * 100 * 14);
  CHECK(whole(lines["token_fp16_key_bytes"]) == 3 * 2 * 100 * 64);
  CHECK(whole(lines["token_sram_reads"]) == 3 * 6 * 100);
  CHECK(whole(lines["token_sram_writes"]) == 3 * 2);
  CHECK(real(lines["token_sram_read_energy"]) == doctest::Approx(1800 * 20e-6).epsilon(1e-12));
  CHECK(real(lines["token_sram_write_energy"]) == doctest::Approx(6 * 60e-6).epsilon(1e-12));
  CHECK(lines["token_sram_read_energy"].method == Method::estimated);
  CHECK(contains(lines["token_sram_read_energy"].note, "1800 reads of 20 pJ; "));
  CHECK(real(lines["token_time"]) ==
        doctest::Approx(3e-3 * 4 * static_cast<double>(whole(lines["token_layer_cycles"]))));
  CHECK(lines["token_time"].method == Method::counted);

  const DecodingStep exactly{parse_model_shape("layers=1,kv_heads=1,query_heads=1,context=40"), 4};
  CHECK(whole(token_lines(kMacro, &exactly)["token_macros"]) == 1);
}

TEST_CASE("exact tokens are not read, in each macro, unless the memory has a code") {
  const DecodingStep step{parse_model_shape(kShape), 4};
  const std::string exact = "quantizer: {scale: unbiased}\nexact: {first: 4, last: 6}\n";
  auto lines = token_lines(kMacro + exact, &step);
  CHECK(whole(lines["token_sram_reads"]) == 3 * 6 * (100 - 3 * 10));
  CHECK(contains(lines["token_sram_reads"].note, "without its exact tokens"));
  auto coded = token_lines(kMacro + exact + "ecc: {code: hamming84}\n", &step);
  CHECK(whole(coded["token_sram_reads"]) == 3 * 6 * 100);
  CHECK(whole(coded["token_key_bytes"]) == 3 * 2 * 100 * 28);
  // The last macro has fewer keys than exact tokens.
  const DecodingStep few{parse_model_shape("layers=1,kv_heads=1,query_heads=1,context=45"), 4};
  CHECK(whole(token_lines(kMacro + exact, &few)["token_sram_reads"]) == 30);
}

TEST_CASE("figures of a token that are not known are n/a, with the reason") {
  auto without = token_lines(kMacro + kTable, nullptr);
  const DecodingStep step{parse_model_shape(kShape), 4};
  const auto with = token_lines(kMacro, &step);
  CHECK(without.size() == with.size());
  for (const auto& [name, line] : with) {
    CASE(name);
    REQUIRE(without.count(name) == 1);
    CHECK(without[name].method == Method::not_available);
    CHECK(contains(without[name].note, "--shape layers=N"));
    CHECK(without[name].unit == line.unit);
    const bool sram = contains(name, "sram_read_energy") || contains(name, "sram_write_energy");
    const bool logic = !sram && (contains(name, "energy") || contains(name, "power") ||
                                 contains(name, "_floats_") || contains(name, "_dequantized_") ||
                                 contains(name, "ratio"));
    CHECK((line.method == Method::not_available) == (sram || logic));
    if (sram) CHECK(line.note == "sram.model is none");
    if (logic) CHECK(contains(line.note, "--liberty FILE"));
  }
}

TEST_CASE("cycles of a layer are those of the RTL: a key, then queries") {
  for (const files::Config& config :
       {test::small_parallel(), test::small_folded(), test::small_coded(), test::small_trellis(),
        test::small_prod(), test::small_split(), test::small_exact()}) {
    CASE(config.name, config.parameters.head_dim);
    const std::string library = sim::build_model(rtl::generate_observed(config), {false, true, {}});
    const files::Trace trace = test::small_trace(config);
    const auto vector = [&](const std::vector<std::uint16_t>& of, std::size_t i) {
      const auto d = static_cast<std::ptrdiff_t>(config.parameters.head_dim);
      const auto first = of.begin() + static_cast<std::ptrdiff_t>(i) * d;
      return sim::Vector(first, first + d);
    };
    for (const std::size_t keys : {std::size_t{1}, std::size_t{9}}) {
      CASE(keys);
      sim::RtlModel model(library, 1);
      sim::Driver driver(config, model, {}, 1);
      std::vector<sim::Command> earlier;
      for (std::size_t i = 1; i < keys; ++i)
        earlier.emplace_back(sim::command::Key{vector(trace.keys, i)});
      earlier.emplace_back(sim::command::Drain{});
      sim::Observer none;
      driver.run(earlier, none);
      LastScore seen(driver);
      const std::uint64_t start = driver.cycle();
      driver.run(
          {sim::command::Key{vector(trace.keys, 0)}, sim::command::Query{vector(trace.queries, 0)},
           sim::command::Query{vector(trace.queries, 1)}, sim::command::Drain{}},
          seen);
      CHECK(counts_of(config, {5, 1, 2, keys}).layer_cycles == seen.cycle - start + 1);
    }
  }
}

}  // namespace axelram::report
