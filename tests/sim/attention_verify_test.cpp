// verify of a macro with attention: what it meets, what it finds, and what it leaves behind.
#include <filesystem>
#include <iterator>

#include "attention_configs.hpp"
#include "axelram/files/scratch_folder.hpp"
#include "axelram/run/golden.hpp"
#include "axelram/run/script.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/engine.hpp"
#include "axelram/sim/verify.hpp"
#include "check.hpp"
#include "planted.hpp"
#include "rtl/attention/driver.hpp"
#include "verified.hpp"
#include "verify/attention/prefix.hpp"

namespace axelram::sim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kVectors = 600;

/// Every corner is met, in golden and, if it has a cover of it, in RTL.
void check(const files::Config& config) {
  CASE(config.parameters.head_dim, config.attention.parameters.group);
  VerifyOptions options = brief(kVectors);
  options.covers = true;
  const VerifyReport report = check_verified(config, options);
  std::size_t of_rtl = 0;
  for (const CoverageBin& bin : report.coverage) of_rtl += bin.rtl_hits.has_value() ? 1 : 0;
  CHECK(of_rtl > 20);
  for (const VerifyPhase& phase : report.phases) {
    CASE(phase.name);
    CHECK(phase.compared > 0);
    CHECK(phase.predicted.has_value() == phase.name.starts_with("cycles"));
  }
}

}  // namespace

TEST_CASE("a macro with attention is ready as many cycles behind a reset as the layout says") {
  for (const files::Config& config : {attends_parallel(), attends_coded(), attends_loaded()}) {
    CASE(files::canonical_yaml(config));
    const rtl::Layout layout(config);
    RtlModel model(build_model(rtl::generate_observed(config), {false, true, {}}), 1);
    run::AttentionScript nothing;
    nothing.vectors.head_dim = config.parameters.head_dim;
    nothing.vectors.values.emplace();
    const AttentionDriver driver(config, nothing, model, {}, 1);
    AttentionPorts ports(config, layout, model);
    int cycles = 0;
    for (model.settle(); ports.ready.get() == 0 && cycles < 1000; model.settle(), ++cycles)
      model.edge();
    CHECK(cycles == layout.reset_cycles);
  }
}

TEST_CASE("verify of a macro with attention holds and meets every corner, in golden and in RTL") {
  for (const files::Config& config :
       {attends_folded(), attends_coded(), attends_loaded(), attends_exact()}) {
    CASE(files::canonical_yaml(config));
    check(config);
  }
}

TEST_CASE("verify of a macro with attention holds for a trellis, a center and one query a group") {
  for (const files::Config& config : {attends_parallel(), attends_largest(), attends_centered(),
                                      attends_balanced(), attends_exact_coded()}) {
    CASE(files::canonical_yaml(config));
    check(config);
  }
}

// Faults that no trace shows: verify alone resets, clears, loads, holds and asks for scores.
TEST_CASE("verify catches faults planted in a macro with attention") {
  struct Planted {
    files::Config config;
    Mutant mutant;
  };
  const Planted all[] = {
      {attends_coded(),
       {"a scrub that puts an old record back", "axelram_protected_store",
        "assign overtaken = overtaken_q;", "assign overtaken = 1'b0;"}},
      {attends_coded(),
       {"a scrub that reads while a token is written", "axelram_protected_store",
        "ready_o && !(Placed && stored_o)", "ready_o"}},
      {attends_coded(),
       {"an injection into the other memory", "axelram_token_store", "inject_value_i == 1'(v)",
        "inject_value_i != 1'(v)"}},
      {attends_folded(),
       {"an item that starts in front of a command", "axelram_items", "peeked_q && !hold_i &&",
        "peeked_q &&"}},
      {attends_folded(),
       {"a command in front of the tokens before it", "axelram_attention_control",
        "between && in_flight_q == '0;", "between;"}},
      {attends_folded(),
       {"a clear that is a command", "axelram_attention_control",
        "if (operate_clear) segment_kind_o = DoClear;",
        "if (operate_clear) segment_kind_o = command_kind;"}},
      {attends_folded(),
       {"a group without room for its outputs", "axelram_items", "kind != Attend || outputs_free_i",
        "1'b1"}},
      {attends_folded(),
       {"reads without room for their scores", "axelram_token_reads", "(free_i && copy_ready_i)",
        "copy_ready_i"}},
      {attends_exact(),
       {"a copy that is not waited for", "axelram_token_reads", "(free_i && copy_ready_i)",
        "free_i"}},
      {attends_exact(),
       {"a forgotten token that is not counted", "axelram_segments",
        "assign all_gone = SumBits'(forgotten) + SumBits'(leaves);",
        "assign all_gone = SumBits'(forgotten);"}},
      {attends_exact(),
       {"a copy of a token that was not stored", "axelram_token_copies",
        "assign kept = fate_store_i && ", "assign kept = "}},
      {attends_exact(),
       {"the copy of a neighbour", "axelram_token_copies", "at = SumBits'(ring) - (count - token);",
        "at = SumBits'(ring) - (count - token) + 1;"}},
      {attends_folded(),
       {"scores that are attended to", "axelram_head", "score_valid_o && attend_i",
        "score_valid_o"}},
      {attends_folded(),
       {"half of a softmax scale", "axelram_attention_constants",
        "else if (load_i) {scale_o, scale_exponent_o} <= {scale_i, scale_exponent_i};",
        "else if (load_i) scale_o <= scale_i;"}},
      {attends_folded(),
       {"a group that outlives a reset", "axelram_attention_control",
        "      state_q <= StAccept;\n      pending_q <= '0;", "      state_q <= StAccept;"}},
      {attends_loaded(),
       {"a largest exponent of the last elements alone", "axelram_rotation_memory",
        "largest = first_q ? ExpBits'(1) : before_q;", "largest = ExpBits'(1);"}},
      {attends_loaded(),
       {"rotations that outlive a reset", "axelram_rotation_memory",
        "      copied_q <= '0;\n      bank_q", "      bank_q"}},
      {attends_balanced(),
       {"values that are balanced", "axelram_align", "value ? 4'd8 : query ? raised : ~raised",
        "query ? raised : ~raised"}},
      {attends_balanced(),
       {"exponents that are not loaded", "axelram_rotation_memory",
        "copied ? row_balance_i :", "1'b0 ? row_balance_i :"}},
      {attends_loaded(),
       {"a load of the row before", "axelram_rotation_memory", "copied ? RotationBits'(row_i)",
        "copied ? RotationBits'(row_i - 8'd1)"}},
      {attends_parallel(),
       {"a rejected group that takes the scores before it", "axelram_attention_control",
        "tokens_stored && !some_rejected) begin", "tokens_stored) begin"}},
      {attends_parallel(),
       {"a saturated output counted for each row", "axelram_group_output",
        "valid && last && (saturated || saturated_q)", "valid && (saturated || saturated_q)"}},
  };
  for (const Planted& one : all) {
    CASE(one.mutant.name);
    const VerifyReport report =
        verify(one.config, planted(one.config, one.mutant), std::nullopt, brief(kVectors));
    CHECK(!report.holds());
    if (report.mismatch) MESSAGE(one.mutant.name, ": ", report.mismatch->tensor);
  }
}

TEST_CASE("a mismatch of a macro with attention is dumped as the shortest trace that shows it") {
  const files::Config config = attends_folded();
  const std::vector<rtl::GeneratedFile> generated =
      planted(config, {"a ring read beyond its end", "axelram_token_reads",
                       "(position_q + 1'b1 == ring_i) ? '0", "(position_q == ring_i) ? '0"});
  const files::ScratchFolder folder;
  VerifyOptions options = brief(kVectors);
  options.directory = folder.path();
  const VerifyReport report = verify(config, generated, std::nullopt, options);
  REQUIRE(report.mismatch.has_value());
  REQUIRE(report.dumped.size() == 4);
  for (const std::string& path : report.dumped) CHECK_MESSAGE(fs::file_size(path) > 0, path);

  // The dumped trace shows the fault again, and its last command is the one that does.
  const files::Trace dumped = files::read_trace(folder.path() + "/mismatch.safetensors", config);
  REQUIRE(dumped.commands.has_value());
  CHECK(dumped.commands->back().kind == files::SegmentCommand::Kind::attend);
  const std::string library = build_model(generated, {false, true, {}});
  const auto differs = [&](const run::AttentionScript& script) {
    files::Trace trace = script.vectors;
    trace.commands.emplace();
    for (const run::AttentionStep& step : script.steps)
      trace.commands->push_back(std::get<run::attention_step::Take>(step).command);
    try {
      const files::Result rtl = run_rtl_attention(config, trace, library, {}, 1, "").result;
      return files::first_difference(run::golden_attention(config, trace).result, rtl).has_value();
    } catch (const SimulationError&) {
      return true;
    }
  };
  const run::AttentionScript script = run::script_of(config, dumped);
  CHECK(differs(script));
  CHECK(!differs(prefix_of(config, script, script.steps.size() - 1)));
}

TEST_CASE("a trace says what it leaves out of a script") {
  namespace s = run::attention_step;
  using Kind = files::SegmentCommand::Kind;
  const files::Config config = attends_parallel();
  run::AttentionScript script;
  script.vectors.head_dim = 32;
  script.vectors.keys.assign(2 * 32, 0x3c00);
  script.vectors.keys[32] = 0x7e00;
  script.vectors.values.emplace(2 * 32, 0x3c00);
  script.vectors.queries.assign(2 * 32, 0x3c00);
  script.steps = {s::Take{{Kind::allocate, 0, {0, 4}}},
                  s::Take{{Kind::append, 0}},
                  s::Take{{Kind::append, 0}},
                  s::LoadScale{0.5},
                  s::Score{0},
                  s::Clear{},
                  s::Take{{Kind::attend, 0}},
                  s::Take{{Kind::evict, 0, {}, 1}}};
  const TraceOfScript of = trace_of(config, script);
  CHECK(of.left_out ==
        "1 groups that ask for scores, 1 items with a NaN or an infinity, 1 loads of the softmax "
        "scale");
  CHECK(of.trace.key_count() == 1);
  CHECK(of.trace.query_count() == 2);
  std::vector<Kind> kinds;
  for (const files::SegmentCommand& command : *of.trace.commands) kinds.push_back(command.kind);
  CHECK_SAME(kinds, std::vector<Kind>{Kind::allocate, Kind::append, Kind::attend, Kind::free,
                                      Kind::allocate, Kind::attend, Kind::evict});
  // The file is what was meant.
  const files::ScratchFolder folder;
  const std::string path = folder.path() + "/trace";
  files::write_trace(path, of.trace, false);
  const files::Trace read = files::read_trace(path, config);
  REQUIRE(read.commands.has_value());
  CHECK_SAME(files::command_rows(*read.commands), files::command_rows(*of.trace.commands));
  CHECK_SAME(read.keys, of.trace.keys);
}

}  // namespace axelram::sim
