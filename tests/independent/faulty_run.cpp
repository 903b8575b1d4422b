// faulty_run CONFIG TRACE OUT ENGINE [--write-back]: `axelram run` with the bit errors that the
// trace has, on golden, fast or rtl. Prints the words corrected, with their parity bit wrong and
// detected, and the records written back.
//
// Of a trace, beside its own tensors: key_masks and value_masks, U8 [tokens, bytes of codewords],
// are flips of what is stored; key_read_masks and value_read_masks, U8 [groups, bytes of
// codewords], of what a group reads, in the modes of read_modes, I32 [groups, 2], of keys and of
// values: 0 off, 2 the first read, 3 every read. A macro that ends at the scores has key_masks
// alone; rtl replaces the scores of golden there.
#include <cstdio>
#include <exception>
#include <string>

#include "axelram/fast.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/macro.hpp"
#include "axelram/run/golden.hpp"
#include "axelram/run/script.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/injection.hpp"
#include "rtl/attention/driver.hpp"

namespace {

using namespace axelram;
using Bytes = std::vector<std::uint8_t>;
using Kind = files::SegmentCommand::Kind;

struct Request {
  files::Config config;
  files::Trace trace;
  const files::Safetensors& file;
  std::string engine;
  bool write_back;

  const UnitTable& units() const { return engine == "fast" ? fast_units() : reference_units(); }
};

struct Outcome {
  files::Result result;
  std::vector<std::uint64_t> counts;
};

/// Rows of a tensor of masks.
class Masks {
 public:
  Masks(const files::Safetensors& file, const char* name)
      : tensor_(file.at(name, files::DataType::u8, 2)) {}
  Bytes row(std::size_t i) const {
    const std::uint8_t* const first = tensor_.data + i * tensor_.shape[1];
    return {first, first + tensor_.shape[1]};
  }

 private:
  const files::Tensor& tensor_;
};

/// The steps of the trace, each append and each group behind the injections that are for it.
run::AttentionScript faulty_script(const Request& request) {
  const files::Safetensors& file = request.file;
  const Masks stored[] = {{file, "key_masks"}, {file, "value_masks"}};
  const Masks read[] = {{file, "key_read_masks"}, {file, "value_read_masks"}};
  const auto modes = file.at("read_modes", files::DataType::i32, 2).values<std::int32_t>();
  run::AttentionScript script = run::script_of(request.config, request.trace);
  std::vector<run::AttentionStep> steps = {
      run::attention_step::Protect{request.config.ecc.erasure, request.write_back}};
  std::size_t token = 0, group = 0;
  for (run::AttentionStep& step : script.steps) {
    const Kind kind = std::get<run::attention_step::Take>(step).command.kind;
    for (const bool of_values : {false, true}) {
      if (kind == Kind::append)
        steps.emplace_back(run::attention_step::Inject{of_values, Injection::next_write,
                                                       stored[of_values].row(token)});
      if (kind == Kind::attend)
        steps.emplace_back(run::attention_step::Inject{
            of_values, static_cast<Injection>(modes[2 * group + of_values]),
            read[of_values].row(group)});
    }
    token += kind == Kind::append ? 1 : 0;
    group += kind == Kind::attend ? 1 : 0;
    steps.push_back(std::move(step));
  }
  script.steps = std::move(steps);
  return script;
}

/// Of a trace with commands, what became of each.
void keep_refused(const run::AttentionScript& script, const std::vector<std::uint8_t>& refused,
                  files::Result* result) {
  result->refused.clear();
  for (std::size_t i = 0; i < script.steps.size(); ++i)
    if (std::holds_alternative<run::attention_step::Take>(script.steps[i]))
      result->refused.push_back(refused[i]);
}

Outcome attended(const Request& request) {
  const files::Config& config = request.config;
  const run::AttentionScript script = faulty_script(request);
  Outcome outcome;
  std::vector<std::uint8_t> refused;
  if (request.engine == "rtl") {
    sim::RtlModel model(sim::build_model(rtl::generate_observed(config), {false, true, {}}), 1);
    sim::AttentionDriver driver(config, script, model, {0.1, 0.1, 4}, 1, true);
    driver.run();
    outcome = {driver.take_result(), driver.code_events()};
    refused = driver.refused();
  } else {
    run::GoldenScript done = run::golden_script(config, script, request.units());
    const KeyStoreEvents &k = done.key_events, &v = done.value_events;
    outcome = {std::move(done.result),
               {k.corrected + v.corrected, k.parity_only + v.parity_only, k.detected + v.detected,
                k.scrubbed + v.scrubbed}};
    refused = std::move(done.refused);
  }
  if (request.trace.commands) keep_refused(script, refused, &outcome.result);
  return outcome;
}

template <class T, class From>
void replace_row(std::vector<T>* tensor, std::size_t row, std::size_t of, const From& values) {
  const std::size_t width = tensor->size() / of;
  if (width == 0) return;
  std::copy(values.begin(), values.end(),
            tensor->begin() + static_cast<std::ptrdiff_t>(row * width));
}

Outcome scored(const Request& request) {
  const files::Config& config = request.config;
  const files::Trace& trace = request.trace;
  const Masks masks(request.file, "key_masks");
  Macro macro(config.parameters, config.head_rotation, config.center,
              static_cast<std::size_t>(config.max_keys),
              {config.ecc.code, config.ecc.erasure, request.write_back}, request.units());
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  Outcome outcome{run::golden(config, trace, request.units()), {}};
  files::Result& result = outcome.result;
  Bytes all;
  for (std::size_t t = 0; t < result.tokens; ++t) {
    const Bytes mask = masks.row(t);
    all.insert(all.end(), mask.begin(), mask.end());
    macro.store().inject(Injection::next_write, mask);
    replace_row(&result.codewords, t, result.tokens, macro.write(&trace.keys[t * d]).codeword);
  }
  for (std::size_t q = 0; q < result.queries; ++q) {
    const QueryResult query = macro.query(&trace.queries[q * d]);
    std::vector<std::int64_t> sums = query.acc;
    if (result.split())
      for (std::size_t t = 0; t < result.tokens; ++t)
        sums.insert(sums.begin() + static_cast<std::ptrdiff_t>(2 * t + 1), query.second_acc[t]);
    replace_row(&result.accumulators, q, result.queries, sums);
    if (result.prod())
      replace_row(&result.residual_accumulators, q, result.queries, query.second_acc);
    replace_row(&result.scores, q, result.queries, query.scores);
  }
  const KeyStoreEvents& k = macro.store().events();
  outcome.counts = {k.corrected, k.parity_only, k.detected, k.scrubbed};
  if (request.engine != "rtl") return outcome;
  sim::RtlModel model(sim::build_model(rtl::generate_observed(config), {false, true, {}}), 1);
  result.scores = sim::run_injection(config, trace, model, all, config.ecc.erasure).scores;
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6) {
    std::fputs("usage: faulty_run CONFIG TRACE OUT golden|fast|rtl [--write-back]\n", stderr);
    return 2;
  }
  try {
    const files::Safetensors file = files::Safetensors::read(argv[2]);
    const files::Config config = files::read_config(argv[1]);
    const Request request{config, files::trace_from(file, config), file, argv[4], argc == 6};
    const Outcome outcome = config.attention.given ? attended(request) : scored(request);
    files::write_result(argv[3], outcome.result, true);
    for (const std::uint64_t count : outcome.counts)
      std::printf("%llu\n", static_cast<unsigned long long>(count));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "faulty_run: %s\n", error.what());
    return 1;
  }
  return 0;
}
