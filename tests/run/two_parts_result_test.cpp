// Results of records with two parts: the kind prod, and splits.
#include "axelram/files/result.hpp"
#include "axelram/run/golden.hpp"
#include "files/contract_tensors.hpp"
#include "files/support.hpp"

using namespace axelram;
using namespace axelram::files;
using namespace test;

namespace {

/// A macro and a trace of `tokens` keys, the first of them zero, and two queries.
Result result_of(const Parameters& p, std::size_t tokens, bool coded = false) {
  Config config;
  config.parameters = p;
  if (coded) config.ecc.code = "hamming84";
  std::vector<std::uint16_t> high;
  for (int i = 0; i < p.head_dim && p.split(); i += 2)
    high.push_back(static_cast<std::uint16_t>(i));
  config.head_rotation = seeded_rotation(p, 42, 0, 0, high);
  const auto d = static_cast<std::size_t>(p.head_dim);
  Trace trace;
  trace.head_dim = p.head_dim;
  trace.keys.resize(tokens * d);
  trace.queries.resize(2 * d);
  for (std::size_t i = d; i < trace.keys.size(); ++i)
    trace.keys[i] =
        static_cast<std::uint16_t>((0x3800 + 37 * i % 1500) | (i % 3 == 0 ? 0x8000 : 0));
  for (std::size_t i = 0; i < trace.queries.size(); ++i)
    trace.queries[i] =
        static_cast<std::uint16_t>((0x3400 + 71 * i % 2000) | (i % 5 < 2 ? 0x8000 : 0));
  return run::golden(config, trace);
}

Parameters prod(int index_bits, int head_dim = 32) {
  return {.head_dim = head_dim, .index_bits = index_bits, .kind = QuantizerKind::prod};
}

Parameters split(QuantizerKind kind, int high, int low, int head_dim = 32) {
  return {.head_dim = head_dim,
          .kind = kind,
          .scale = ScaleKind::unbiased,
          .split_high = high,
          .split_low = low};
}

std::string keys_of(const Safetensors& file) {
  std::string keys;
  for (const auto& [key, value] : file.metadata()) keys += key + " ";
  return keys;
}

}  // namespace

TEST_CASE("tensors of prod") {
  const test::TemporaryFolder folder;
  write_result(folder / "r", result_of(prod(3), 3, true), false);
  const Safetensors file = Safetensors::read(folder / "r");
  CHECK(tensors_of(file) == test::contract_tensors({{"tokens", 3},
                                                    {"queries", 2},
                                                    {"d", 32},
                                                    {"boundary words", 3},
                                                    {"words", 4},
                                                    {"bytes of a record", 16},
                                                    {"codeword bytes", 32}},
                                                   {"prod", "code"}));
  CHECK(keys_of(file) ==
        "boundaries centroids kappa reconstruction_words residual_scale score_scale ");
  CHECK(file.metadata_at("residual_scale") == "6525654");
}

TEST_CASE("tensors of a split") {
  const test::TemporaryFolder folder;
  write_result(folder / "r", result_of(split(QuantizerKind::mse, 3, 1), 3), false);
  const Safetensors plain = Safetensors::read(folder / "r");
  CHECK(tensors_of(plain) == test::contract_tensors({{"tokens", 3},
                                                     {"queries", 2},
                                                     {"d", 32},
                                                     {"boundary words", 8},
                                                     {"bytes of a record", 12}},
                                                    {"split", "unbiased"}));
  CHECK(keys_of(plain) == "boundaries centroids kappa score_scale ");
  CHECK(contains(plain.metadata_at("centroids"), ";-127,127"));
  CHECK(contains(plain.metadata_at("kappa"), ";"));
  CHECK_FALSE(contains(plain.metadata_at("score_scale"), ";"));

  write_result(folder / "t", result_of(split(QuantizerKind::trellis, 4, 2), 3), false);
  const Safetensors trellis = Safetensors::read(folder / "t");
  CHECK(tensors_of(trellis) ==
        test::contract_tensors(
            {{"tokens", 3}, {"queries", 2}, {"d", 32}, {"words", 40}, {"bytes of a record", 16}},
            {"split", "unbiased", "trellis"}));
  CHECK(keys_of(trellis) == "centroids kappa reconstruction_words score_scale ");
}

TEST_CASE("results of two parts are read, and written again byte for byte") {
  const test::TemporaryFolder folder;
  std::vector<Parameters> all;
  for (const int d : {32, 64, 128, 256}) {
    for (int b = 2; b <= 4; ++b) all.push_back(prod(b, d));
    for (const QuantizerKind kind : {QuantizerKind::mse, QuantizerKind::trellis})
      for (int h = 1; h <= 4; ++h)
        for (int l = 1; l <= h; ++l) all.push_back(split(kind, h, l, d));
  }
  for (const Parameters& p : all)
    for (const std::size_t tokens : {0U, 2U}) {
      CASE(tokens, p.head_dim, p.index_bits, p.split_high, p.split_low);
      const Result result = result_of(p, tokens, tokens != 0);
      CHECK(result.record_bytes() == static_cast<std::size_t>(p.record_bytes()));
      write_result(folder / "a", result, true);
      const Result got = read_result(folder / "a");
      CHECK(first_difference(result, got) == std::nullopt);
      CHECK(got.prod() == p.prod());
      CHECK(got.parameters.split_high == p.split_high);
      CHECK(got.parameters.split_low == p.split_low);
      write_result(folder / "b", got, true);
      CHECK_SAME(test::content(folder / "a"), test::content(folder / "b"));
    }
}

TEST_CASE("differences of two parts") {
  const Result first = result_of(split(QuantizerKind::mse, 4, 2), 3);
  Result second = first;
  second.accumulators[2 * (3 + 1) + 1] += 5;  // query 1, key 1, sub-vector 1
  CHECK(
      contains(first_difference(first, second).value().text(), "accumulators, row 1, column 3: "));
  CHECK(contains(first_difference(result_of(prod(2), 1), first).value().text(), "against"));
}

TEST_CASE("files that are no results of two parts") {
  const test::TemporaryFolder folder;
  const auto message = [&](const Parameters& p, const auto& damage) {
    write_result(folder / "r", result_of(p, 3), true);
    const Safetensors good = Safetensors::read(folder / "r");
    std::vector<Tensor> tensors = good.tensors();
    Metadata metadata = good.metadata();
    damage(tensors, metadata);
    write_safetensors(folder / "x", tensors, metadata, true);
    return test::message([&] { read_result(folder / "x"); });
  };
  const Parameters halves = split(QuantizerKind::mse, 4, 2);
  CHECK(message(halves, [](auto&, auto&) {}) == "");
  CHECK(contains(message(halves, [](auto&, Metadata& m) { m["kappa"] = "38"; }),
                 "metadata kappa is '38'; a split has two parts with a semicolon between"));
  CHECK(contains(message(halves, [](auto&, Metadata& m) { m["score_scale"] = "1;1"; }),
                 "it has one part"));
  CHECK(contains(message(halves, [](auto&, Metadata& m) { m["centroids"] += ";1"; }),
                 "it must be 4 integers"));
  CHECK(contains(message(halves,
                         [](std::vector<Tensor>& t, auto&) {
                           t[1].shape = {2, 3};
                         }),
                 "tensor norms: shape is [2, 3]; beside the other tensors it must be [3, 2]"));
  CHECK(contains(message(prod(3), [](std::vector<Tensor>& t, auto&) { std::swap(t[3], t[4]); }),
                 "tensor residual_norms: it must be number 4"));
  for (const char* text : {"", "-1", "4294967296", "1.5", "01"})
    CHECK_AT(text,
             contains(message(prod(3), [&](auto&, Metadata& m) { m["residual_scale"] = text; }),
                      "it must be a whole number below 2^32"));
}
