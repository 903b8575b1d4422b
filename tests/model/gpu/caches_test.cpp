#include "check.hpp"
#include "records.hpp"

using namespace axelram;

using namespace test;

TEST_CASE("perplexity through records equals the CPU's") {
  const Macro b3("macro: {head_dim: 64}"), wide(
                                               "macro: {head_dim: 64, index_bits: 4}\n"
                                               "numerics: {query_bits: 12}\n");
  const auto checkpoint = test::random_checkpoint(one_layer(64), 3);
  check_all(test::evaluate_both(checkpoint,
                                {"fp16", b3.cache(), wide.cache(), "keys=fp16;values=" + b3.cache(),
                                 "keys=" + b3.cache(",seed=9") + ";values=fp16"},
                                50, 40, 20, 64),
            kFast);
}

TEST_CASE("heads of every size, elements of both formats") {
  for (const std::size_t d : {32, 128}) {
    CASE(d);
    const Macro macro("macro: {head_dim: " + std::to_string(d) +
                      ", index_bits: 2, element_format: bf16}");
    const auto checkpoint = test::random_checkpoint(one_layer(d), 4);
    check_all(test::evaluate_both(checkpoint, {"fp16", macro.cache()}, 20, 12, 8, 7), kFast);
  }
}

TEST_CASE("bit errors are those of the CPU: flipped, corrected, erased and repaired alike") {
  const auto checkpoint = test::random_checkpoint(one_layer(32), 5);
  const std::vector<std::pair<std::string, std::string>> protections = {
      {"none", "keep"},           {"hamming84", "keep"}, {"hamming84", "interpolate"},
      {"golay24", "interpolate"}, {"golay24", "zero"},   {"hsiao_13_8", "zero"}};
  for (const auto& [code, policy] : protections) {
    CASE(code, policy);
    const Macro macro("macro: {head_dim: 32}\necc: {code: " + code + ", erasure: " + policy +
                      "}\n");
    check_all(test::evaluate_both(checkpoint,
                                  {"fp16", macro.cache(",ber=0.02,fault_seed=7"),
                                   "keys=fp16;values=" + macro.cache(",ber=0.04")},
                                  40, 36, 18, 17),
              kGeneral);
  }
}

TEST_CASE("a macro that attends: perplexity equals the CPU's") {
  for (const std::string more :
       {"attention: {}\n",
        "attention: {output: fp32}\nquantizer: {kind: trellis, scale: unbiased}\n",
        "attention: {weight_bits: 24}\nexact: {first: 1, last: 3}\nquantizer: {scale: unbiased}\n",
        "attention: {}\necc: {code: golay24, erasure: interpolate}\n"}) {
    CASE(more);
    const Macro macro("macro: {head_dim: 32}\n" + more);
    const auto checkpoint = test::random_checkpoint(one_layer(32), 8);
    const bool coded = more.find("ecc") != std::string::npos;
    check_all(test::evaluate_both(checkpoint,
                                  {"fp16", macro.cache(coded ? ",ber=0.02,fault_seed=7" : "")}, 40,
                                  36, 18, 17),
              kGeneral);
  }
}

TEST_CASE("a macro that attends has room for a whole sequence, and both keys and values") {
  const auto checkpoint = test::random_checkpoint(one_layer(32), 8);
  const Macro macro("macro: {head_dim: 32, max_keys: 16}\nattention: {}\n");
  const auto specification = [](const std::string& text) {
    return std::vector<caches::Specification>{caches::parse_specification(text)};
  };
  CHECK_NOTHROW(gpu::Model(checkpoint, specification(macro.cache()), {16, 1, 16}));
  CHECK_THROWS_WITH_AS(gpu::Model(checkpoint, specification(macro.cache()), {17, 1, 17}),
                       doctest::Contains("macro.max_keys is 16; a sequence has 17 tokens"),
                       files::InputError);
  CHECK_THROWS_WITH_AS(
      gpu::check_supported(caches::parse_specification("keys=" + macro.cache() + ";values=fp16")),
      doctest::Contains("a cache of keys or of values alone"), files::InputError);
}

TEST_CASE("words are counted where no bit flips") {
  const Macro macro("macro: {head_dim: 32}\necc: {code: golay24}\n");
  const auto checkpoint = test::random_checkpoint(one_layer(32), 6);
  const test::Both both = test::evaluate_both(checkpoint, {"fp16", macro.cache()}, 9, 6, 3, 64);
  CHECK(both.gpu[1].events.keys.words > 0);
  check_all(both, kGeneral);
}

TEST_CASE("rows that a format cannot hold are rejected where they are") {
  test::Look look = one_layer(32);
  look.key_size = 1e7F;
  const auto checkpoint = test::random_checkpoint(look, 7);
  const Macro macro("macro: {head_dim: 32}");
  const std::vector<std::int32_t> ids = {1, 2, 3};
  const transformer::Sequence sequence{ids, 0};
  for (const std::string& cache : {std::string("fp16"), macro.cache()}) {
    CASE(cache);
    gpu::Model model(checkpoint, {caches::parse_specification(cache)}, {3, 1, 3});
    CHECK_THROWS_WITH_AS(model.forward({&sequence, 1}, 0),
                         doctest::Contains("key of layer 0, head 0, token 0: element "),
                         files::InputError);
  }
}

TEST_CASE("caches that no kernel reads are rejected") {
  for (const std::string cache : {"f32", "int4", "keys=fp16;values=int4"}) {
    CASE(cache);
    CHECK_THROWS_WITH_AS(gpu::check_supported(caches::parse_specification(cache)),
                         doctest::Contains("no kernel reads the cache"), files::InputError);
  }
  CHECK_NOTHROW(gpu::check_supported(caches::parse_specification("fp16")));
}
