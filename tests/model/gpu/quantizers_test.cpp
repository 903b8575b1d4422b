#include "axelram/files/errors.hpp"
#include "check.hpp"
#include "moments.hpp"
#include "records.hpp"

using namespace axelram;

using namespace test;

namespace {

/// A key of which CPU and device round one element differently may take another path through a
/// trellis, on which many indices differ: paged_cache_test.cpp compares equal rows.
void check_paths(const test::Both& both) {
  REQUIRE(both.gpu.size() == both.cpu.size());
  for (std::size_t c = 0; c < both.cpu.size(); ++c) {
    CASE(c);
    CHECK(test::off(both.gpu[c], both.cpu[c]) < 0.05);
    CHECK_SAME(both.gpu[c].events.keys, both.cpu[c].events.keys);
    CHECK_SAME(both.gpu[c].events.values, both.cpu[c].events.values);
  }
}

}  // namespace

TEST_CASE("a trellis of every number of states, keys and values") {
  const auto checkpoint = test::random_checkpoint(one_layer(64), 3);
  for (const std::string states : {"4", "8", "16"}) {
    CASE(states);
    const std::string quantizer =
        "quantizer: {kind: trellis, scale: unbiased, states: " + states + "}\n";
    const Macro b2("macro: {head_dim: 64, index_bits: 2}\n" + quantizer),
        b4("macro: {head_dim: 64, index_bits: 4}\n" + quantizer);
    check_paths(evaluate_both(checkpoint,
                              {"fp16", b2.cache(), b4.cache(), "keys=fp16;values=" + b2.cache(),
                               "keys=" + b4.cache(",seed=9") + ";values=fp16"},
                              30, 24, 12, 64));
  }
}

TEST_CASE("a trellis that only the general kernel takes, and behind a code with bit errors") {
  const auto checkpoint = test::random_checkpoint(one_layer(32), 5);
  const std::string trellis = "macro: {head_dim: 32}\nquantizer: {kind: trellis}\n";
  const Macro plain(trellis), coded(trellis + "ecc: {code: hamming84}\n"),
      mse("macro: {head_dim: 32}\nquantizer: {scale: unbiased}\n");
  check_paths(
      evaluate_both(checkpoint,
                    {"fp16", plain.cache(",ber=0.01"), coded.cache(",ber=0.02,fault_seed=7"),
                     "keys=" + plain.cache() + ";values=" + mse.cache()},
                    40, 36, 18, 17));
}

TEST_CASE("exact tokens: chunks of any size, in keys, in values, in both alike or not") {
  const auto checkpoint = test::random_checkpoint(one_layer(64), 6);
  const std::string unbiased = "macro: {head_dim: 64}\nquantizer: {scale: unbiased}\n";
  const Macro both(unbiased + "exact: {first: 2, last: 5}\n"),
      first(unbiased + "exact: {first: 4}\n"), last(unbiased + "exact: {last: 20, bits: 12}\n"),
      none(unbiased);
  for (const std::size_t chunk : {3, 7, 64}) {
    CASE(chunk);
    check_all(
        evaluate_both(checkpoint,
                      {"fp16", both.cache(), first.cache(), last.cache(),
                       "keys=" + both.cache() + ";values=" + none.cache(),
                       "keys=" + first.cache() + ";values=" + last.cache(),
                       "keys=fp16;values=" + both.cache(), "keys=" + both.cache() + ";values=fp16"},
                      50, 40, 20, chunk),
        kFast);
  }
}

TEST_CASE("exact tokens: BF16, wide queries, repaired bit errors") {
  const auto checkpoint = test::random_checkpoint(one_layer(32), 8);
  const std::string exact = "quantizer: {scale: unbiased}\nexact: {first: 1, last: 3}\n";
  const Macro bf16("macro: {head_dim: 32, element_format: bf16}\n" + exact),
      wide("macro: {head_dim: 32}\nnumerics: {query_bits: 14}\n" + exact),
      repaired("macro: {head_dim: 32}\n" + exact +
               "ecc: {code: hamming84, erasure: interpolate}\n");
  check_all(
      evaluate_both(checkpoint, {"fp16", bf16.cache(), wide.cache(), repaired.cache(",ber=0.02")},
                    40, 36, 18, 17),
      kFast);
}

TEST_CASE("records of two parts: keys, values, both, bit errors repaired or not, wide queries") {
  for (const std::size_t d : {64, 128}) {
    CASE(d);
    const auto checkpoint = test::random_checkpoint(one_layer(d), 10);
    const test::SplitChannels channels(1, 2, d);
    const std::string macro = "macro: {head_dim: " + std::to_string(d) + "}\n";
    const std::string unbiased = macro + "quantizer: {scale: unbiased}\n";
    const std::string prod = macro + "quantizer: {kind: prod}\n";
    const std::string code = "ecc: {code: hamming84, erasure: interpolate}\n";
    const Macro signs(prod), wide(prod + "numerics: {query_bits: 14}\n" + code),
        halves(unbiased + channels.section("[4, 2]")),
        repaired(unbiased + channels.section("[3, 1]") + code),
        paths(macro + "quantizer: {kind: trellis, scale: unbiased}\n" + channels.section("[3, 1]")),
        mse("macro: {head_dim: " + std::to_string(d) + ", index_bits: 2}\n");
    check_all(evaluate_both(checkpoint,
                            {"fp16", "keys=" + signs.cache() + ";values=fp16",
                             "keys=" + signs.cache(",seed=3") + ";values=" + mse.cache(),
                             "keys=fp16;values=" + signs.cache(), signs.cache(",ber=0.001"),
                             wide.cache(",ber=0.01")},
                            40, 32, 16, 13),
              kFast);
    // A sub-vector of few bits moves far with one rounding: paged_cache_test.cpp compares equal
    // rows.
    check_paths(evaluate_both(checkpoint,
                              {"fp16", "keys=" + halves.cache() + ";values=" + mse.cache(),
                               halves.cache(), repaired.cache(",ber=0.01"), paths.cache()},
                              40, 32, 16, 13));
  }
}

TEST_CASE("a split of 32 channels has no cache on a GPU") {
  const test::SplitChannels channels(1, 2, 32);
  const Macro split("macro: {head_dim: 32}\nquantizer: {scale: unbiased}\n" +
                    channels.section("[4, 2]"));
  const auto checkpoint = test::random_checkpoint(one_layer(32), 10);
  CHECK_THROWS_WITH_AS(evaluate_both(checkpoint, {"fp16", split.cache()}, 10, 8, 4, 8),
                       doctest::Contains("--engine cuda: a split of 32 channels"),
                       files::InputError);
}

TEST_CASE("keys encoded with feedback, of rank 1 and full") {
  const auto checkpoint = test::random_checkpoint(one_layer(64), 9);
  for (const bool full : {false, true}) {
    CASE(full);
    const test::TemporaryFile file(".safetensors");
    files::write_query_moments(file.path(), test::some_moments(2, 64, full), {}, true);
    const std::string encoder = ",encoder=feedback:" + file.path();
    const Macro mse(
        "macro: {head_dim: 64}\nquantizer: {scale: unbiased}\n"
        "exact: {first: 1, last: 4}\n");
    check_all(
        evaluate_both(checkpoint, {"fp16", mse.cache(encoder), mse.cache(encoder + ",ber=0.001")},
                      40, 32, 16, 13),
        kFast);
  }
}
