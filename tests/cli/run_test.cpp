#include "axelram/files/result.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/run/gaussian_trace.hpp"
#include "axelram/run/golden.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "program.hpp"

namespace {

using namespace test;

axelram::files::Config config_of(const TempDir& place) {
  return axelram::files::read_config(place.at("small.yaml"));
}

TEST_CASE("golden, fast and rtl write the same bytes, with stalls too") {
  const TempDir axelram;
  const std::string run = "run small.yaml trace.safetensors ";
  const ProcessResult golden = axelram(run + "-o golden --engine golden --json golden.json");
  REQUIRE(golden);
  CHECK(golden.err.empty());
  REQUIRE(axelram(run + "-o fast --json fast.json"));
  CHECK_SAME(axelram.content("golden"), axelram.content("fast"));
  CHECK(axelram.json("fast.json")["engine"] == "fast");
  const ProcessResult rtl = axelram(run + "-o rtl --engine rtl --json rtl.json");
  REQUIRE(rtl);
  REQUIRE(axelram(run + "-o stalled --engine rtl --stalls 0.3 --seed 9 --json stalled.json"));
  CHECK_SAME(axelram.content("golden"), axelram.content("rtl"));
  CHECK_SAME(axelram.content("golden"), axelram.content("stalled"));

  const axelram::files::Config config = config_of(axelram);
  CHECK(axelram::files::first_difference(axelram::files::read_result(axelram.at("golden")),
                                         axelram::run::golden(config, TempDir::trace())) ==
        std::nullopt);

  const Json of_golden = axelram.json("golden.json");
  CHECK(of_golden["engine"] == "golden");
  CHECK(of_golden["cycles"]["measured"].is_null());
  const Json of_rtl = axelram.json("rtl.json");
  CHECK(of_rtl["engine"] == "rtl");
  CHECK(of_rtl["configuration"] == "small");
  CHECK(of_rtl["trace"] == "trace.safetensors");
  CHECK(of_rtl["keys"] == 40);
  CHECK(of_rtl["queries"] == 5);
  CHECK(of_rtl["seconds"].get<double>() > 0);
  CHECK(of_rtl["cycles"]["measured"] == of_rtl["cycles"]["predicted"]);
  const auto cycles = axelram::sim::cycle_model(axelram::rtl::Layout(config), {40, 0}, 5);
  const Json expected = {{"write", cycles.write},
                         {"rotate", cycles.rotate},
                         {"build", cycles.build},
                         {"read", cycles.read},
                         {"total", cycles.total}};
  CHECK(of_rtl["cycles"]["measured"] == expected);
  CHECK(of_golden["cycles"]["predicted"] == expected);
  const Json of_stalled = axelram.json("stalled.json");
  CHECK(of_stalled["cycles"]["measured"]["total"] > of_stalled["cycles"]["predicted"]["total"]);
  CHECK(of_stalled["seed"] == 9);

  CHECK(contains(rtl.out, "engine         rtl\n"));
  CHECK(contains(rtl.out, "keys           40\n"));
  CHECK(contains(rtl.out, "queries        5\n"));
  CHECK(contains(
      rtl.out, "score_scale    " +
                   axelram::files::Safetensors::read(axelram.at("rtl")).metadata_at("score_scale") +
                   "\n"));
  CHECK(contains(rtl.out, "result         rtl\n"));
}

TEST_CASE("no keys and no queries are a trace like any other") {
  const TempDir axelram;
  axelram::Parameters parameters{.head_dim = 32};
  const std::vector<std::pair<std::size_t, std::size_t>> sizes = {{0, 0}, {0, 2}, {3, 0}};
  for (const auto& [keys, queries] : sizes) {
    CASE(keys, queries);
    axelram::files::write_trace(axelram.at("t"),
                                axelram::run::gaussian_trace(parameters, keys, queries, 1), true);
    CHECK(axelram("run small.yaml t -o golden --engine golden --force"));
    CHECK(axelram("run small.yaml t -o rtl --engine rtl --force"));
    CHECK_SAME(axelram.content("golden"), axelram.content("rtl"));
    CHECK(axelram::files::read_result(axelram.at("rtl")).tokens == keys);
    CHECK(axelram("report small.yaml t"));
  }
}

TEST_CASE("golden and fast write the same bytes of records with two parts") {
  const TempDir axelram;
  std::vector<std::int32_t> high(16);
  for (std::size_t i = 0; i < high.size(); ++i) high[i] = static_cast<std::int32_t>(2 * i + 1);
  axelram::files::write_safetensors(
      axelram.at("high"),
      {axelram::files::view("high", axelram::files::DataType::i32, {1, 1, 16}, high)}, {}, false);
  const std::string split = "scale: unbiased}\nsplit: {bits: [3, 1], channels: high}\n";
  const std::pair<std::string, std::size_t> cases[] = {
      {"kind: prod}\n", 16}, {split, 12}, {"kind: trellis, " + split, 12}};
  for (const auto& [quantizer, bytes] : cases) {
    CASE(quantizer);
    axelram.put("two.yaml", "macro: {head_dim: 32}\nquantizer: {" + quantizer);
    for (const char* engine : {"golden", "fast"})
      REQUIRE_AT(engine, axelram(std::string("run two.yaml trace.safetensors --force -o ") +
                                 engine + " --engine " + engine));
    CHECK_SAME(axelram.content("golden"), axelram.content("fast"));
    const auto file = axelram::files::Safetensors::read(axelram.at("golden"));
    CHECK(file.at("records", axelram::files::DataType::u8, 2).shape[1] == bytes);
  }
}

TEST_CASE("a waveform comes with its view, and the result stays the same") {
  const TempDir axelram;
  const std::string run = "run small.yaml trace.safetensors ";
  REQUIRE(axelram(run + "-o golden --engine golden"));
  REQUIRE(axelram(run + "-o rtl --engine rtl --waves w.fst"));
  CHECK_SAME(axelram.content("golden"), axelram.content("rtl"));
  CHECK(std::filesystem::file_size(axelram.at("w.fst")) > 1000);
  CHECK(contains(axelram.content("w.gtkw"), axelram.at("w.fst")));
  CHECK(axelram.entries() == 6);
  failed(axelram(run + "-o second --engine rtl --waves w.fst"), 2, "w.fst: exists already");
  CHECK(!axelram.has("second"));
}

TEST_CASE("nothing is written over without --force, and inputs never") {
  const TempDir axelram;
  const std::string run = "run small.yaml trace.safetensors -o out --json out.json ";
  REQUIRE(axelram(run));
  const std::string first = axelram.content("out");
  const std::string trace = axelram.content("trace.safetensors");

  const auto rejected = [&](const std::string& arguments, const std::string& part) {
    CASE(arguments);
    failed(axelram(arguments), 2, part);
  };
  axelram.put("out", "mine");
  rejected(run, "out: exists already");
  CHECK(axelram.content("out") == "mine");
  rejected("run small.yaml trace.safetensors -o new --json out.json", "out.json: exists already");
  CHECK(!axelram.has("new"));
  CHECK(axelram(run + "--force"));
  CHECK_SAME(axelram.content("out"), first);

  rejected("run small.yaml trace.safetensors -o ./trace.safetensors --force", "is also an input");
  CHECK_SAME(axelram.content("trace.safetensors"), trace);
  const std::string config = axelram.content("small.yaml");
  for (const char* command : {"report", "verify"}) {
    CASE(command);
    rejected(std::string(command) + " small.yaml --json small.yaml --force", "is also an input");
  }
  CHECK_SAME(axelram.content("small.yaml"), config);
  rejected("run small.yaml trace.safetensors -o same --json ./same", "two outputs");
  rejected("run small.yaml trace.safetensors -o none/out", "the folder 'none' does not exist");
  rejected("report small.yaml --json out.json", "out.json: exists already");
  rejected("verify small.yaml --json out.json", "out.json: exists already");
  rejected("verify small.yaml -o .", "is not empty");
  rejected("verify small.yaml -o out", "is not a directory");
}

}  // namespace
