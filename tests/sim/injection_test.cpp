#include "axelram/sim/injection.hpp"

#include <algorithm>
#include <random>

#include "axelram/macro.hpp"
#include "axelram/run/golden.hpp"
#include "axelram/sim/build.hpp"
#include "check.hpp"
#include "small_configs.hpp"

namespace axelram::sim {
namespace {

const char* const kCodes[] = {"hamming74, stages: 1", "hamming84", "golay24, stages: 2",
                              "golay24, decoder: rom", "hsiao_39_32, stages: 3"};
constexpr ErasurePolicy kPolicies[] = {ErasurePolicy::keep, ErasurePolicy::zero,
                                       ErasurePolicy::interpolate};

files::Config folded_behind(const std::string& code) {
  return test::small(
      "macro: {head_dim: 32, max_keys: 24}\n"
      "microarchitecture: {key_lanes: 4, read_lanes: 8, table_multipliers: 4}\n"
      "ecc: {code: " +
      code + "}\n");
}

/// Random masks for `keys` stored keys: `lightest` to `heaviest` bits in every codeword.
std::vector<std::uint8_t> random_masks(const Code& code, const files::Config& config,
                                       std::size_t keys, int lightest, int heaviest,
                                       std::mt19937& random) {
  const auto bits = static_cast<std::size_t>(config.parameters.record_bits());
  const std::size_t bytes = code.codeword_bytes(bits);
  std::vector<std::uint8_t> masks(keys * bytes);
  std::vector<std::size_t> order(static_cast<std::size_t>(code.n));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t key = 0; key < keys; ++key)
    for (std::size_t word = 0; word < code.words(bits); ++word) {
      std::shuffle(order.begin(), order.end(), random);
      const auto weight = static_cast<std::size_t>(
          lightest + static_cast<int>(random() % static_cast<unsigned>(heaviest - lightest + 1)));
      for (std::size_t i = 0; i < std::min(weight, order.size()); ++i) {
        const std::size_t bit = word * order.size() + order[i];
        std::uint8_t& byte = masks[key * bytes + bit / 8];
        byte = static_cast<std::uint8_t>(byte ^ 1U << (bit % 8));
      }
    }
  return masks;
}

/// The golden macro under the same masks.
InjectionRun golden_injection(const files::Config& config, const files::Trace& trace,
                              const std::vector<std::uint8_t>& masks, ErasurePolicy erasure) {
  Macro macro(config.parameters, config.head_rotation, config.center,
              static_cast<std::size_t>(config.max_keys), {config.ecc.code, erasure, false});
  KeyStore& store = macro.store();
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  const auto append = [](std::vector<std::uint8_t>* to, const std::uint8_t* from,
                         std::size_t count) { to->insert(to->end(), from, from + count); };
  for (std::size_t t = 0; t < trace.key_count(); ++t) {
    const std::uint8_t* mask = masks.data() + t * store.stored_bytes();
    store.inject(Injection::next_write, {mask, mask + store.stored_bytes()});
    macro.write(trace.keys.data() + t * d);
  }
  InjectionRun run;
  for (std::size_t q = 0; q < trace.query_count(); ++q) {
    const QueryResult result = macro.query(trace.queries.data() + q * d);
    run.accumulators.insert(run.accumulators.end(), result.acc.begin(), result.acc.end());
    run.scores.insert(run.scores.end(), result.scores.begin(), result.scores.end());
  }
  const auto bytes = static_cast<std::size_t>(config.parameters.record_bytes());
  append(&run.repaired, store.last_read(), trace.key_count() * bytes);
  store.set_erasure(ErasurePolicy::keep);
  append(&run.decoded, store.read(), trace.key_count() * bytes);
  const std::size_t words = store.code()->words(bytes * 8);
  for (std::size_t t = 0; t < trace.key_count(); ++t)
    append(&run.statuses, store.statuses(t), status_bytes(words));
  return run;
}

void check_same(const InjectionRun& a, const InjectionRun& b) {
  CHECK_SAME(a.statuses, b.statuses);
  CHECK_SAME(a.decoded, b.decoded);
  CHECK_SAME(a.repaired, b.repaired);
  CHECK_SAME(a.accumulators, b.accumulators);
  CHECK_SAME(a.scores, b.scores);
}

}  // namespace

TEST_CASE("errors within correction change no accumulator and no score, RTL and golden") {
  std::mt19937 random(11);
  for (const char* name : kCodes) {
    CASE(name);
    const files::Config config = folded_behind(name);
    const Code code = make_code(config.ecc.code);
    const files::Trace trace = test::small_trace(config);
    RtlModel model(build_model(rtl::generate_observed(config), {false, true, {}}), 1);
    const files::Result clean = run::golden(config, trace);
    for (const ErasurePolicy erasure : kPolicies)
      for (int round = 0; round < 3; ++round) {
        CASE(erasure, round);
        const int lightest = round == 0 ? code.correctable : 0;
        const std::vector<std::uint8_t> masks =
            random_masks(code, config, trace.key_count(), lightest, code.correctable, random);
        const InjectionRun golden = golden_injection(config, trace, masks, erasure);
        CHECK_SAME(golden.accumulators, clean.accumulators);
        CHECK_SAME(golden.scores, clean.scores);
        check_same(run_injection(config, trace, model, masks, erasure), golden);
      }
  }
}

TEST_CASE("errors beyond correction are the same to RTL and golden") {
  std::mt19937 random(12);
  for (const char* name : kCodes) {
    CASE(name);
    const files::Config config = folded_behind(name);
    const Code code = make_code(config.ecc.code);
    const files::Trace trace = test::small_trace(config);
    const files::Result clean = run::golden(config, trace);
    RtlModel model(build_model(rtl::generate_observed(config), {false, true, {}}), 1);
    for (const ErasurePolicy erasure : kPolicies)
      for (const int heaviest : {code.correctable + 1, code.n}) {
        CASE(erasure, heaviest);
        const std::vector<std::uint8_t> masks =
            random_masks(code, config, trace.key_count(), 0, heaviest, random);
        const InjectionRun golden = golden_injection(config, trace, masks, erasure);
        CHECK_DIFFERENT(golden.decoded, clean.records);
        check_same(run_injection(config, trace, model, masks, erasure), golden);
      }
  }
}

}  // namespace axelram::sim
