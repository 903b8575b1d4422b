#include <algorithm>
#include <cfloat>
#include <cmath>
#include <random>

#include "axelram/engines/engine.hpp"
#include "axelram/files/result.hpp"
#include "axelram/run/gaussian_trace.hpp"
#include "axelram/run/golden.hpp"
#include "check.hpp"
#include "cuda/cuda.hpp"
#include "kernels/two_parts.hpp"

using test::prod_of;
using test::split_of;

namespace {

TEST_CASE("cuda: keys and queries that come in several chunks") {
  for (const char* name :
       {"d32-b3-hamming74", "d64-b3", "d128-b3-bf16", "d128-b3-unbiased", "d128-b3-exact",
        "d32-b3-exact-folded", "d64-b3-trellis", "d32-b2-trellis-folded", "d128-b3-prod",
        "d32-b2-prod-folded", "d128-split42", "d32-split31-trellis-folded"}) {
    CASE(name);
    axelram::files::Config config =
        axelram::files::read_config(std::string(AXELRAM_SOURCE "/configs/") + name + ".yaml");
    config.max_keys = 200;
    const axelram::files::Trace trace = axelram::run::gaussian_trace(config.parameters, 150, 11, 5);
    const axelram::files::Result golden = axelram::run::golden(config, trace);
    for (const std::size_t scratch : {std::size_t{0}, std::size_t{4000}, std::size_t{40000}})
      CHECK_AT(scratch, axelram::files::first_difference(
                            golden, axelram::engines::run_cuda(config, trace, scratch).result) ==
                            std::nullopt);
  }
}

TEST_CASE(
    "cuda: records of two parts are golden's, in several chunks, coded, behind other records") {
  using namespace axelram;
  for (const bool bf16 : {false, true})
    for (const int d : {32, 64, 128, 256})
      for (Parameters p : {prod_of(d, 2 + d / 64 % 3), prod_of(d, 3 + d % 3 / 2),
                           split_of(d, 4, 2, 0), split_of(d, 3, 1, 8), split_of(d, 1, 1, 4)}) {
        CASE(bf16, d, p.prod(), p.trellis());
        if (bf16) p.element_format = ElementFormat::bf16;
        files::Config config;
        config.parameters = p;
        std::vector<std::uint16_t> high;
        for (int c = 0; c < d && p.split(); ++c)
          if (c % 4 < 2) high.push_back(static_cast<std::uint16_t>(c));
        config.head_rotation = seeded_rotation(p, 7, 2, 3, high);
        config.ecc.code = d == 64 ? "hamming84" : "none";
        config.max_keys = 100;
        files::Trace trace = run::gaussian_trace(p, 60, 7, 5);
        const files::Result other = run::golden(config, run::gaussian_trace(p, 9, 1, 6));
        trace.records = other.records;
        const files::Result golden = run::golden(config, trace);
        for (const std::size_t scratch : {std::size_t{0}, std::size_t{20000}})
          CHECK_AT(scratch,
                   files::first_difference(
                       golden, engines::run_cuda(config, trace, scratch).result) == std::nullopt);
      }
}

TEST_CASE("cuda: balanced keys and queries are golden's, in several chunks") {
  using namespace axelram;
  for (const int d : {32, 64, 128, 256}) {
    Parameters exact{
        .head_dim = d, .scale = ScaleKind::unbiased, .exact_first = 1, .exact_last = 9};
    for (Parameters p : {Parameters{.head_dim = d}, exact, prod_of(d, 3), split_of(d, 4, 2, 0),
                         split_of(d, 3, 1, 8)})
      for (const bool bf16 : {false, true}) {
        CASE(d, p.prod(), p.split(), p.copies(), bf16);
        p.balanced = true;
        p.centered = !bf16;
        if (bf16) p.element_format = ElementFormat::bf16;
        files::Config config;
        config.parameters = p;
        std::vector<std::uint16_t> high;
        for (int c = 0; c < d && p.split(); c += 2) high.push_back(static_cast<std::uint16_t>(c));
        config.head_rotation = seeded_rotation(p, 7, 2, 3, high);
        for (int i = 0; i < d; ++i)
          config.head_rotation.balance.push_back(static_cast<std::int8_t>(i * 5 % 16 - 8));
        if (p.centered) config.center = run::gaussian_trace(p, 1, 0, 8).keys;
        config.max_keys = 100;
        const files::Trace trace = run::gaussian_trace(p, 60, 7, 5);
        const files::Result golden = run::golden(config, trace);
        for (const std::size_t scratch : {std::size_t{0}, std::size_t{20000}})
          CHECK_AT(scratch,
                   files::first_difference(
                       golden, engines::run_cuda(config, trace, scratch).result) == std::nullopt);
        config.parameters.balanced = false;
        config.head_rotation.balance.clear();
        CHECK(files::first_difference(golden, engines::run_cuda(config, trace, 0).result) !=
              std::nullopt);
      }
  }
}

TEST_CASE("cuda: keys with feedback that come in several chunks, and without one") {
  using namespace axelram;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (const char* name : {"d32-b3-exact-folded", "d64-b3-trellis", "d128-b3-unbiased"})
    for (const bool full : {false, true}) {
      CASE(name, full);
      files::Config config =
          files::read_config(std::string(AXELRAM_SOURCE "/configs/") + name + ".yaml");
      const auto d = static_cast<std::size_t>(config.parameters.head_dim);
      config.parameters.balanced = d == 64;
      for (std::size_t i = 0; i < d && config.parameters.balanced; ++i)
        config.head_rotation.balance.push_back(static_cast<std::int8_t>(i % 5 - 2));
      const files::Trace trace = run::gaussian_trace(config.parameters, 150, 1, 5);
      QueryMoment moment;
      if (full) {
        moment.full.resize(d * d);
        for (std::size_t query = 0; query < d; ++query) {
          std::vector<float> q(d);
          for (float& element : q) element = normal(random) + 1;
          for (std::size_t i = 0; i < d * d; ++i) moment.full[i] += q[i / d] * q[i % d];
        }
      } else {
        moment.direction.assign(d, 1 / std::sqrt(static_cast<float>(d)));
        moment.alpha = 25;
      }
      for (const auto& feedback :
           {feedback_of(moment, config.head_rotation.signs.data(), config.parameters.head_dim),
            std::shared_ptr<const Feedback>()}) {
        CASE(feedback);
        const engines::EncodeRequest request{config, feedback, trace.keys};
        const auto golden = engines::encode(EngineKind::golden, request);
        CHECK_SAME(golden, engines::encode(EngineKind::fast, request));
        for (const std::size_t scratch :
             {std::size_t{0}, std::size_t{20000}, std::size_t{1} << 20}) {
          CASE(scratch);
          CHECK_SAME(golden, engines::encode_cuda(request, scratch));
        }
      }
      CHECK(engines::encode_cuda({config, nullptr, {}}).empty());
    }
}

TEST_CASE("cuda: extreme BF16 elements, scores that saturate and underflow") {
  const axelram::files::Config config =
      axelram::files::read_config(AXELRAM_SOURCE "/configs/d128-b3-bf16.yaml");
  axelram::files::Trace trace = axelram::run::gaussian_trace(config.parameters, 70, 8, 5);
  for (std::size_t i = 0; i < trace.keys.size(); ++i) {
    if (i / 128 % 3 == 1) trace.keys[i] = i % 5 == 0 ? 0x7F7F : 0xC000;  // FLT_MAX's binade, -2
    if (i / 128 % 3 == 2) trace.keys[i] = i % 5 == 0 ? 0x3580 : 0xB5C0;  // 2^-20, -1.5 * 2^-20
  }
  for (std::size_t i = 0; i < trace.queries.size(); ++i) {
    if (i / 128 % 4 == 1) trace.queries[i] = i % 2 == 0 ? 0x7F7F : 0x7E80;
    if (i / 128 % 4 == 2) trace.queries[i] = static_cast<std::uint16_t>(i % 100);  // subnormals
    if (i / 128 % 4 == 3) trace.queries[i] = 0;
  }
  const axelram::files::Result golden = axelram::run::golden(config, trace);
  const auto any = [&](const auto& is) {
    return std::any_of(golden.scores.begin(), golden.scores.end(), is);
  };
  CHECK(any([](float score) { return std::fabs(score) == FLT_MAX; }));
  CHECK(any([](float score) { return score != 0 && std::fabs(score) < FLT_MIN; }));
  CHECK(axelram::files::first_difference(
            golden, axelram::engines::run_cuda(config, trace).result) == std::nullopt);
}

TEST_CASE("cuda: a trellis of every number of states, bits and elements, ties and limits") {
  for (const int d : {32, 64, 128, 256})
    for (const int bits : {2, 3, 4})
      for (const int states : {4, 8, 16})
        for (const std::string scale : {"norm", "unbiased"}) {
          CASE(d, bits, states, scale);
          const axelram::files::Config config = axelram::files::parse_config(
              "macro: {head_dim: " + std::to_string(d) + ", index_bits: " + std::to_string(bits) +
                  ", max_keys: 40, element_format: " + (bits == 3 ? "bf16" : "fp16") +
                  "}\nquantizer: {kind: trellis, states: " + std::to_string(states) +
                  ", scale: " + scale + "}\n",
              "small", "");
          axelram::files::Trace trace = axelram::run::gaussian_trace(config.parameters, 36, 3, 9);
          const auto size = static_cast<std::size_t>(d);
          for (std::size_t i = 0; i < trace.keys.size(); ++i) {
            const std::size_t key = i / size;
            if (key % 4 == 1) trace.keys[i] = static_cast<std::uint16_t>(i % 7);  // subnormals
            if (key % 4 == 2) trace.keys[i] = i % size == key ? 0x3C00 : 0;       // one element
            if (key == 3) trace.keys[i] = 0;
            if (key == 7)
              trace.keys[i] =
                  config.head_rotation.signs[i % size] < 0 ? 0xBFE0 : 0x3FE0;  // y_0 alone
          }
          const axelram::files::Result golden = axelram::run::golden(config, trace);
          CHECK(axelram::files::first_difference(
                    golden, axelram::engines::run_cuda(config, trace).result) == std::nullopt);
        }
}

TEST_CASE("cuda: exact tokens, more and fewer than keys, and copies whose scores leave the range") {
  int largest = 0, subnormal = 0;
  for (const std::string exact :
       {"{first: 1}", "{last: 5, bits: 12}", "{first: 16, last: 64}", "{first: 3, last: 33}"})
    for (const std::size_t keys : {0, 1, 4, 36, 37, 70}) {
      CASE(exact, keys);
      const axelram::files::Config config = axelram::files::parse_config(
          "macro: {head_dim: 32, max_keys: 70, element_format: bf16}\n"
          "quantizer: {scale: unbiased}\nexact: " +
              exact + "\n",
          "small", "");
      axelram::files::Trace trace = axelram::run::gaussian_trace(config.parameters, keys, 7, 9);
      for (std::size_t i = 0; i < trace.keys.size(); ++i) {
        if (i / 32 % 4 == 1) trace.keys[i] = i % 3 == 0 ? 0x7F7F : 0xFF00;
        if (i / 32 % 4 == 2) trace.keys[i] = static_cast<std::uint16_t>(i % 100);  // subnormals
        if (i / 32 % 12 == 3) trace.keys[i] = 0;
      }
      for (std::size_t i = 0; i < trace.queries.size(); ++i) {
        if (i / 32 % 4 == 1) trace.queries[i] = i % 2 == 0 ? 0x7F7F : 0x7E80;
        if (i / 32 % 4 == 2) trace.queries[i] = i % 5 == 0 ? 0x3580 : 0x00C0;
        if (i / 32 % 4 == 3) trace.queries[i] = 0;
      }
      const axelram::files::Result golden = axelram::run::golden(config, trace);
      for (std::size_t i = 0; i < golden.scores.size(); ++i) {
        if (golden.exact[i % keys] == 0) continue;
        const float size = std::fabs(golden.scores[i]);
        largest += size == FLT_MAX ? 1 : 0;
        subnormal += size != 0 && size < FLT_MIN ? 1 : 0;
      }
      for (const std::size_t scratch : {std::size_t{1000}, std::size_t{1} << 20})
        CHECK_AT(scratch, axelram::files::first_difference(
                              golden, axelram::engines::run_cuda(config, trace, scratch).result) ==
                              std::nullopt);
    }
  CHECK(largest > 0);
  CHECK(subnormal > 0);
}

TEST_CASE(
    "cuda: elements that are not finite, which read_trace rejects, are rejected by the device") {
  axelram::Parameters parameters{.head_dim = 32};
  const axelram::files::Config config =
      axelram::files::parse_config("macro: {head_dim: 32, max_keys: 64}\n", "small", "");
  axelram::files::Trace nan = axelram::run::gaussian_trace(parameters, 40, 5, 7);
  nan.keys[32 + 5] = 0x7E00;
  CHECK_THROWS_WITH(axelram::engines::run_cuda(config, nan),
                    "the device rejected a key of a trace whose elements are all finite");
  axelram::files::Trace query = axelram::run::gaussian_trace(parameters, 40, 5, 7);
  query.queries[7] = 0x7C00;
  CHECK_THROWS_WITH(axelram::engines::run_cuda(config, query),
                    "the device rejected a query of a trace whose elements are all finite");
}

}  // namespace
