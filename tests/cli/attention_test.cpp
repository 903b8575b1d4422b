#include <set>

#include "axelram/files/result.hpp"
#include "axelram/files/safetensors.hpp"
#include "program.hpp"

// Configurations with attention: run and verify attend, other commands say that they do not.

namespace {

using namespace test;

/// The small macro with attention, and its trace with values.
struct Attending : TempDir {
  Attending() {
    put("attends.yaml", content("small.yaml") + "attention: {group: 2}\n");
    axelram::files::Trace with_values = trace();
    with_values.values = with_values.keys;
    axelram::files::write_trace(at("values.safetensors"), with_values, false);
  }
};

}  // namespace

TEST_CASE("run attends with golden, with fast and with cuda, and writes the same bytes") {
  const Attending axelram;
  const std::string run = "run attends.yaml values.safetensors ";
  const ProcessResult golden = axelram(run + "-o golden --engine golden --json golden.json");
  REQUIRE(golden);
  CHECK(golden.err.empty());
  CHECK_FALSE(contains(golden.out, "cycles"));
  REQUIRE(axelram(run + "-o fast --json fast.json"));
  CHECK_SAME(axelram.content("golden"), axelram.content("fast"));
  REQUIRE(axelram.emulated(run + "-o cuda --engine cuda --json cuda.json"));
  CHECK_SAME(axelram.content("golden"), axelram.content("cuda"));
  CHECK(axelram.json("cuda.json")["events"].is_null());

  const auto result = axelram::files::read_result(axelram.at("golden"));
  CHECK(result.half_outputs.size() == 5 * 32);
  const Json json = axelram.json("golden.json");
  CHECK(json["cycles"]["predicted"].is_null());
  for (const char* event :
       {"tokens_nonfinite", "tokens_full", "groups_nonfinite", "bad_commands", "norms_saturated",
        "scales_refused", "scores_saturated", "logits_saturated", "outputs_saturated"})
    CHECK_AT(event, json["events"][event] == 0);
  CHECK(axelram.json("fast.json")["events"] == json["events"]);
}

TEST_CASE("without attention there are no events, and values and commands are not looked at") {
  const Attending axelram;
  const std::vector<float> other = {1};
  const auto trace = axelram::files::read_trace(axelram.at("trace.safetensors"),
                                                axelram::Parameters{.head_dim = 32}, 64);
  using axelram::files::DataType;
  using axelram::files::view;
  axelram::files::write_safetensors(
      axelram.at("odd.safetensors"),
      {view("keys", DataType::f16, {40, 32}, trace.keys),
       view("queries", DataType::f16, {5, 32}, trace.queries),
       view("values", DataType::f32, {1}, other), view("commands", DataType::f32, {1}, other)},
      {}, false);
  REQUIRE(axelram("run small.yaml odd.safetensors -o odd --json odd.json"));
  REQUIRE(axelram("run small.yaml trace.safetensors -o usual"));
  CHECK_SAME(axelram.content("odd"), axelram.content("usual"));
  CHECK(axelram.json("odd.json")["events"].is_null());
}

TEST_CASE("events and rejected rows of commands are counted") {
  const Attending axelram;
  const std::vector<std::uint16_t> vectors(3 * 32, 0x7bff), queries(2 * 32, 0x7bff);
  // clang-format off
  const std::vector<std::int32_t> commands = {
      0, 0, 0, 2, 0, 0, 0,
      0, 1, 4, 2, 0, 0, 0,  // there is one segment alone
      1, 0, 0, 0, 0, 0, 0,
      1, 0, 0, 0, 0, 0, 0,
      1, 0, 0, 0, 0, 0, 0,  // it is full
      2, 0, 0, 0, 0, 0, 0};
  // clang-format on
  using axelram::files::DataType;
  using axelram::files::view;
  axelram::files::write_safetensors(axelram.at("c.safetensors"),
                                    {view("keys", DataType::f16, {3, 32}, vectors),
                                     view("values", DataType::f16, {3, 32}, vectors),
                                     view("queries", DataType::f16, {2, 32}, queries),
                                     view("commands", DataType::i32, {6, 7}, commands)},
                                    {}, false);
  REQUIRE(axelram("run attends.yaml c.safetensors -o r --json r.json"));
  const auto result = axelram::files::read_result(axelram.at("r"));
  CHECK_SAME(result.refused, std::vector<std::uint8_t>{0, 1, 0, 0, 1, 0});
  const Json events = axelram.json("r.json")["events"];
  CHECK(events["bad_commands"] == 1);
  CHECK(events["tokens_full"] == 1);
  CHECK(events["norms_saturated"] == 4);   // two keys and two values
  CHECK(events["logits_saturated"] == 2);  // tokens, not heads
}

TEST_CASE("a trace that a macro with attention cannot take is bad input") {
  const Attending axelram;
  axelram.rejected("run attends.yaml trace.safetensors -o r",
                   "trace.safetensors: no tensor 'values'");
  axelram.rejected("run attends.yaml values.safetensors -o r --encoder feedback:small.yaml",
                   "an encoder ends at the scores");
}

TEST_CASE("verify of a macro with attention says what it compared, and takes a trace") {
  const Attending axelram;
  axelram.rejected("verify attends.yaml trace.safetensors -o d",
                   "trace.safetensors: no tensor 'values'");
  const std::string printed =
      axelram.output("verify attends.yaml values.safetensors --vectors 200 --json verify.json");
  CHECK(contains(printed, "RTL equals golden: holds\n"));
  const Json json = axelram.json("verify.json");
  CHECK(json["phases"][0]["name"] == "trace, no stalls");
  CHECK(json["phases"][0]["keys"] == 40);
  CHECK(json["phases"][0]["predicted"] == json["phases"][0]["cycles"]);
  std::set<std::string> names;
  for (const Json& bin : json["coverage"]) names.insert(bin["name"]);
  CHECK(names.count("segment: wraps") == 1);
  CHECK(names.count("softmax: reference rises") == 1);
}

TEST_CASE("a report of a macro with attention is of the whole attention") {
  const Attending axelram;
  axelram.rejected("report attends.yaml trace.safetensors",
                   "trace.safetensors: no tensor 'values'");
  const std::string printed =
      axelram.output("report attends.yaml values.safetensors --json r.json");
  CHECK(contains(printed, "attention multiplication reduction"));
  CHECK(contains(printed, "trace output records relative rms error"));
  std::set<std::string> names;
  for (const Json& line : axelram.json("r.json")) names.insert(line["name"]);
  CHECK(names.count("attention_multiplications") == 1);
  CHECK(names.count("butterflies_in_hardware") == 0);
}

TEST_CASE("what ends at the scores rejects a configuration with attention") {
  const Attending axelram;
  const std::string ends =
      "ends at the scores; 'axelram run' and 'axelram verify' attend, 'axelram generate' writes "
      "the hardware";
  for (const std::string& arguments : std::vector<std::string>{
           "report attends.yaml --netlist",
           "report attends.yaml --shape layers=1,kv_heads=1,query_heads=1,context=1",
           "datasheet attends.yaml -o d.html", "faults attends.yaml values.safetensors --ber 1e-3",
           kTinyRun + "--cache 'keys=axelram:config=attends.yaml;values=fp16'"}) {
    CASE(arguments);
    axelram.rejected(arguments, ends);
  }
  // Not that the trace has no values.
  axelram.rejected("faults attends.yaml trace.safetensors --ber 1e-3", ends);
}

TEST_CASE("a model attends through the macro, and nearly as with floats between its records") {
  const Attending axelram;
  const auto nll = [&](const std::string& config) {
    REQUIRE(axelram(kTinyRun + "--cache axelram:config=" + config + " --json p.json --force"));
    return axelram.json("p.json")["nll"].get<double>();
  };
  const double floats = nll("small.yaml"), macro = nll("attends.yaml");
  CHECK(macro != floats);
  CHECK(macro == doctest::Approx(floats).epsilon(1e-3));
  const auto with = [&](const std::string& engine) {
    REQUIRE(axelram(kTinyRun + "--cache axelram:config=attends.yaml --engine " + engine +
                    " --json e.json --nll " + engine + " --force"));
    return axelram.content(engine);
  };
  const std::string golden = with("golden");
  CHECK(golden == with("fast"));
  CHECK(golden == with("rtl"));
  // Floats of the model are summed in another order on a device.
  REQUIRE(axelram.emulated(
      kTinyRun + "--cache axelram:config=attends.yaml --engine cuda --json p.json --force"));
  CHECK(axelram.json("p.json")["nll"].get<double>() == doctest::Approx(macro).epsilon(1e-4));
}

TEST_CASE("a sweep goes on without a configuration with attention") {
  const Attending axelram;
  axelram.put("spec.yaml",
              "base: small.yaml\ntrace: trace.safetensors\nreports: [accuracy]\n"
              "list: [{attention.group: 2}, {macro.index_bits: 2}]\n");
  CHECK(axelram("sweep spec.yaml -o d"));
  const std::string table = axelram.content("d/spec.csv");
  CHECK(contains(table, "a sweep ends at the scores"));
  CHECK_FALSE(contains(table, "no tensor"));
}

TEST_CASE("signs are chosen for a macro with attention as for any other") {
  const Attending axelram;
  axelram.put_text();
  CHECK(axelram("calibrate " + kTinyInputs +
                "-o s --config attends.yaml --samples 1 --candidates 2 --window 24"));
}
