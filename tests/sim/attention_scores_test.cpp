// Groups that ask a macro with attention for scores, at its ports.
#include <bit>

#include "axelram/attention_macro.hpp"
#include "axelram/sim/build.hpp"
#include "check.hpp"
#include "rtl/attention/ports.hpp"

namespace axelram::sim {
namespace {

constexpr std::size_t kDim = 32, kTokens = 5;
constexpr int kPatience = 5000;

std::vector<std::uint16_t> vector_of(std::size_t seed) {
  std::vector<std::uint16_t> elements(kDim);
  for (std::size_t i = 0; i < kDim; ++i) {
    const std::size_t mixed = (i + 1) * 2654435761U * (2 * seed + 1);
    elements[i] =
        static_cast<std::uint16_t>(0x3400 + (mixed >> 9) % 0x0c00 + ((mixed >> 25 & 1U) << 15));
  }
  return elements;
}

/// The macro at its ports: a beat a vector.
class Bench {
 public:
  explicit Bench(const files::Config& config)
      : layout_(config),
        model_(build_model(rtl::generate_observed(config), {false, true, {}}), 1),
        ports_(config, layout_, model_) {
    for (PortValue* input :
         {&ports_.vector_valid, &ports_.command_valid, &ports_.clear_valid, &ports_.output_ready,
          &ports_.score_ready, &ports_.scale_load, &ports_.errors_clear})
      input->set(0);
    if (layout_.code) {
      ports_.code_load.set(0);
      ports_.inject_load.set(0);
    }
    ports_.rst_n.set(1);
    model_.peek();
    ports_.rst_n.set(0);
    for (int i = 0; i < 3; ++i) {
      CASE(i);
      step();
    }
    ports_.rst_n.set(1);
    for (int i = 0; i < layout_.release_cycles; ++i) {
      CASE(i);
      step();
    }
    ports_.output_ready.set(1);
    scores.clear();  // registers without a reset are random until it ends
    lasts = outputs = 0;
  }

  void allocate(unsigned capacity) {
    for (PortValue* input :
         {&ports_.command_kind, &ports_.command_segment, &ports_.command_base,
          &ports_.command_sinks, &ports_.command_rotation, &ports_.command_wrap, &ports_.command_n})
      input->set(0);
    ports_.command_capacity.set(capacity);
    send(ports_.command_valid, ports_.command_ready);
  }

  void vector(unsigned kind, const std::vector<std::uint16_t>& elements) {
    ports_.vector_kind.set(kind);
    ports_.vector_segment.set(0);
    ports_.vector_data.set_bytes(elements.data());
    send(ports_.vector_valid, ports_.vector_ready);
  }

  /// Until the macro has had nothing to do for long enough that its last scores are taken.
  void finish() {
    int idle = 0;
    for (int left = kPatience; idle < 100 && left > 0; --left) {
      CASE(left);
      step();
      idle = ports_.busy.get() != 0 ? 0 : idle + 1;
    }
    CHECK(idle == 100);
  }

  std::vector<std::uint32_t> scores;
  std::size_t lasts = 0, outputs = 0;

 private:
  void send(PortValue& valid, PortValue& ready) {
    valid.set(1);
    bool taken = false;
    for (int left = kPatience; !taken && left > 0; --left) {
      CASE(left);
      taken = step(&ready);
    }
    REQUIRE(taken);
    valid.set(0);
  }

  /// True if `ready` was high before the edge.
  bool step(PortValue* ready = nullptr) {
    ports_.score_ready.set(cycle_++ % 3 == 0 ? 1 : 0);
    model_.settle();
    const bool was_ready = ready != nullptr && ready->get() != 0;
    if (ports_.score_valid.get() != 0 && ports_.score_ready.get() != 0) {
      for (int g = 0; g < layout_.group; ++g) scores.push_back(ports_.score_data.field(g * 32, 32));
      lasts += ports_.score_last.get();
    }
    outputs += ports_.output_valid.get() & ports_.output_ready.get();
    model_.edge();
    CHECK(std::string(model_.failure()) == "");
    return was_ready;
  }

  rtl::Layout layout_;
  RtlModel model_;
  AttentionPorts ports_;
  int cycle_ = 0;
};

}  // namespace

TEST_CASE("a group asks for scores in place of outputs, without and behind a code") {
  for (const std::string code : {"", "ecc: {code: hamming84, stages: 2}\n"}) {
    CASE(code);
    const files::Config config = files::parse_config(
        "macro: {head_dim: 32, max_keys: 16}\nattention: {group: 2, output_lanes: 16}\n"
        "microarchitecture: {read_lanes: 16}\n" +
            code,
        "scores.yaml", "");
    AttentionMacro golden(config.parameters, config.attention.parameters,
                          files::rotation_rows(config), 1, 16, files::protection(config.ecc));
    Bench bench(config);
    REQUIRE(golden.allocate(0, {0, 16}));
    bench.allocate(16);
    for (std::size_t t = 0; t < kTokens; ++t) {
      CASE(t);
      golden.append(0, vector_of(t).data(), vector_of(100 + t).data());
      bench.vector(0, vector_of(t));
      bench.vector(0, vector_of(100 + t));
    }
    std::vector<std::uint16_t> queries = vector_of(200);
    const std::vector<std::uint16_t> second = vector_of(201);
    queries.insert(queries.end(), second.begin(), second.end());
    const GroupResult expected = golden.attend(0, queries.data());

    // Scores, outputs, scores: neither kind disturbs the other.
    for (const unsigned kind : {2U, 1U, 2U}) {
      CASE(kind);
      bench.vector(kind, vector_of(200));
      bench.vector(kind, second);
    }
    bench.finish();
    REQUIRE(bench.scores.size() == 2 * kTokens * 2);
    for (std::size_t i = 0; i < bench.scores.size(); ++i)
      CHECK_AT(i, std::bit_cast<float>(bench.scores[i]) ==
                      expected.queries[i % 2].scores[i / 2 % kTokens]);
    CHECK(bench.lasts == 2);
    CHECK(bench.outputs == 2 * kDim / 16);
  }
}

}  // namespace axelram::sim
