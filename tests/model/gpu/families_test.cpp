#include "check.hpp"
#include "support.hpp"

using namespace axelram;

namespace {

struct States {
  std::vector<float> cpu, gpu;
};

/// Hidden states of two sequences with the FP16 cache.
States states_of(const checkpoints::Checkpoint& checkpoint, std::size_t chunk) {
  const auto& a = checkpoint.architecture;
  const auto ids = test::some_ids(32, a.vocabulary), other = test::some_ids(9, a.vocabulary - 7);
  const std::vector<transformer::Sequence> sequences = {{other, 0}, {ids, 1}};
  const auto specification = caches::parse_specification("fp16");
  const test::HalfQueryCache cache(specification, a);
  transformer::Workers workers(1);
  gpu::Model model(checkpoint, {specification}, {41, 2, 32, chunk});
  return {transformer::Transformer(checkpoint, workers).forward(sequences, cache),
          model.forward(sequences, 0)};
}

/// Root mean square, of states of size 1. Single keys may be rounded to another FP16 number.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
  return std::sqrt(squares / static_cast<double>(a.size()));
}

}  // namespace

TEST_CASE("every family's hidden states equal the CPU's") {
  for (const std::string name :
       {"llama-f32", "llama-bf16-tied", "llama-f16-bias", "llama-linear", "llama3-rope",
        "llama-yarn", "llama-theta", "mistral", "mistral-sliding", "qwen2", "qwen2-sliding",
        "qwen2-yarn", "qwen3", "gemma3", "gemma3-d256", "gpt2", "gpt2-bare"}) {
    CASE(name);
    auto checkpoint = checkpoints::read_checkpoint(test::kReference + name);
    // Spans that hold the sequences; the layers stay of the kind that they are of.
    for (std::size_t& span : checkpoint.architecture.spans) span = span == 0 ? 0 : 32;
    const States states = states_of(checkpoint, 2048);
    CHECK(test::worst(states.cpu, states.gpu) < 1e-2);
    CHECK(difference(states.cpu, states.gpu) < 3e-4);
  }
}

TEST_CASE("sequences beyond an attention span are rejected") {
  const auto checkpoint = checkpoints::read_checkpoint(test::kReference + "gemma3");
  const auto fp16 = caches::parse_specification("fp16");
  CHECK_NOTHROW(gpu::Model(checkpoint, {fp16}, {8, 1, 8}));
  CHECK_THROWS_WITH_AS(gpu::Model(checkpoint, {fp16}, {9, 1, 9}),
                       "layer 0 has an attention span of 8 tokens; windows of 9 exceed it, and no "
                       "kernel has one: use shorter windows or --engine fast",
                       files::InputError);
}

TEST_CASE("chunks of rows of any size give the same states") {
  for (const std::string name : {"qwen3", "gemma3"}) {
    CASE(name);
    auto checkpoint = checkpoints::read_checkpoint(test::kReference + name);
    for (std::size_t& span : checkpoint.architecture.spans) span = span == 0 ? 0 : 32;
    const States whole = states_of(checkpoint, 41);
    for (const std::size_t chunk : {1, 7, 40})
      CHECK_AT(chunk, difference(whole.gpu, states_of(checkpoint, chunk).gpu) < 1e-4);
  }
}

TEST_CASE("ids and lengths that the model does not take") {
  const auto checkpoint = checkpoints::read_checkpoint(test::kReference + "gpt2");
  gpu::Model model(checkpoint, {caches::parse_specification("fp16")}, {64, 1, 64});
  const auto run = [&](const std::vector<std::int32_t>& ids) {
    const transformer::Sequence sequence{ids, 0};
    model.forward({&sequence, 1}, 0);
  };
  CHECK_THROWS_AS(run({1, -1}), files::InputError);
  CHECK_THROWS_AS(run({1, 96}), files::InputError);
  CHECK_THROWS_AS(run({}), files::InputError);
  CHECK_THROWS_AS(run(test::some_ids(33, 90)), files::InputError);
  CHECK_NOTHROW(run(test::some_ids(32, 90)));
}
