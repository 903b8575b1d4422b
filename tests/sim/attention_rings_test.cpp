// Heads of 128 and 256 elements with rings of many hundred places, which wrap several times: exact
// tokens, erasures whose neighbours lie across the end of the ring, groups of queries, against
// golden.
#include <random>

#include "axelram/code.hpp"
#include "axelram/run/script.hpp"
#include "axelram/sim/build.hpp"
#include "check.hpp"
#include "small_configs.hpp"
#include "verify/attention/comparison.hpp"

namespace axelram::sim {
namespace {

using Kind = files::SegmentCommand::Kind;

/// 1500 places, no power of two; all lanes are a quarter of the elements.
files::Config long_rings(int d, const std::string& more) {
  const std::string lanes = std::to_string(d / 4);
  return test::small("macro: {head_dim: " + std::to_string(d) + ", max_keys: 1500}\n" +
                     "microarchitecture: {key_lanes: " + lanes + ", read_lanes: " + lanes +
                     ", table_multipliers: " + lanes + "}\n" + more);
}

class Script {
 public:
  explicit Script(const files::Config& config) : config_(config), random_(d()) {
    script_.vectors.head_dim = config.parameters.head_dim;
    script_.vectors.values.emplace();
    if (config.ecc.code != "none") {
      code_ = make_code(config.ecc.code);
      step(run::attention_step::Protect{ErasurePolicy::interpolate, true});
    }
  }

  void take(const files::SegmentCommand& command) { step(run::attention_step::Take{command}); }

  void append(std::uint32_t segment, double faulty) {
    for (const bool of_values : {false, true})
      if (code_ && below(1000) < 1000 * faulty)
        step(run::attention_step::Inject{of_values, Injection::next_write, mask()});
    add(&script_.vectors.keys);
    add(&*script_.vectors.values);
    take({Kind::append, segment});
  }

  void attend(std::uint32_t segment) {
    for (int g = 0; g < config_.attention.parameters.group; ++g) add(&script_.vectors.queries);
    take({Kind::attend, segment});
  }

  std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  const run::AttentionScript& script() const { return script_; }

 private:
  std::size_t d() const { return static_cast<std::size_t>(config_.parameters.head_dim); }
  void step(run::AttentionStep step) { script_.steps.push_back(std::move(step)); }

  void add(std::vector<std::uint16_t>* to) {
    for (std::size_t i = 0; i < d(); ++i)
      to->push_back(
          static_cast<std::uint16_t>(below(2) << 15 | (13 + below(3)) << 10 | below(1024)));
  }

  /// Two wrong bits in half of the words.
  std::vector<std::uint8_t> mask() {
    const auto bits = static_cast<std::size_t>(config_.parameters.record_bits());
    const auto n = static_cast<std::size_t>(code_->n);
    std::vector<std::uint8_t> mask(code_->codeword_bytes(bits));
    for (std::size_t word = 0; word < code_->words(bits); ++word) {
      if (below(2) == 0) continue;
      const std::size_t first = below(n), second = (first + 1 + below(n - 1)) % n;
      for (const std::size_t bit : {word * n + first, word * n + second})
        mask[bit / 8] = static_cast<std::uint8_t>(mask[bit / 8] | 1U << bit % 8);
    }
    return mask;
  }

  const files::Config& config_;
  std::optional<Code> code_;
  std::mt19937_64 random_;
  run::AttentionScript script_;
};

/// A ring that wraps three times, one without sinks beside it, and a segment that is allocated anew
/// in their places.
run::AttentionScript script_of(const files::Config& config) {
  Script script(config);
  script.take({Kind::allocate, 0, {3, 801, 5, 0, true}});
  script.take({Kind::allocate, 1, {804, 690, 0, 1, true}});
  for (int t = 0; t < 2500; ++t) {
    script.append(0, 0.1);
    if (t < 1500) script.append(1, 0.1);
    if (t % 256 == 200) script.attend(0);
    if (t % 500 == 499) script.attend(1);
    if (t == 1700) script.take({Kind::evict, 0, {}, 700});
    if (t == 1701 || t == 1710) script.attend(0);
  }
  script.attend(0);
  script.attend(1);
  script.take({Kind::free, 1});
  script.take({Kind::allocate, 1, {1400, 100, 100, 0, false}});
  for (int t = 0; t < 102; ++t) script.append(1, 0.5);
  script.attend(1);
  script.attend(0);
  return script.script();
}

}  // namespace

TEST_CASE("rings of hundreds of places, of 128 and 256 elements, behind a code and with copies") {
  const std::string segments = "store: {segments: 2, rotations: 2}\n";
  const std::string coded = "ecc: {code: hamming84, erasure: interpolate, stages: 1}\n";
  for (const files::Config& config :
       {long_rings(128, segments + coded +
                            "quantizer: {scale: unbiased}\nexact: {first: 3, last: 40}\n"
                            "attention: {group: 2}\n"),
        long_rings(256, segments + "attention: {output: fp32}\n")}) {
    CASE(config.parameters.head_dim, config.ecc.code);
    const run::AttentionScript script = script_of(config);
    RtlModel model(build_model(rtl::generate_observed(config), {false, true, {}}), 1);
    AttentionDriver driver(config, script, model, {}, 1, true);
    const run::GoldenScript golden = run::golden_script(config, script);
    const auto found = run_and_compare(config, "rings", golden, driver);
    CASE(driver.cycle());
    CHECK((found ? found->tensor + ": " + found->text : "") == "");
    if (config.ecc.code != "none") {
      CHECK(golden.key_events.detected > 1000);
      CHECK(golden.value_events.detected > 1000);
    }
  }
}

}  // namespace axelram::sim
