#include "axelram/attention.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "axelram/logit.hpp"
#include "axelram/record.hpp"
#include "axelram/rounding.hpp"
#include "axelram/signs.hpp"
#include "check.hpp"
#include "golden/fields.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

Parameters parameters_of(int d, int index_bits) {
  return {.head_dim = d, .index_bits = index_bits};
}

AttentionParameters attention_of(const Parameters& p, int weight_bits, OutputFormat output) {
  return {1, weight_bits, default_attention_scale(p.head_dim), output};
}

/// Value records of `count` tokens.
struct Values {
  std::vector<std::uint8_t> bytes;
  void add(const Parameters& p, const std::vector<std::uint8_t>& indices, std::uint16_t norm) {
    const std::size_t at = bytes.size();
    bytes.resize(at + static_cast<std::size_t>(p.record_bytes()));
    pack_record_ref(indices.data(), norm, p.head_dim, p.index_bits, bytes.data() + at);
  }
};

double value_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

/// FP64 attention over the same records and scores.
std::vector<double> exact_attention(const Parameters& p, const CodebookRom& rom, double scale,
                                    const std::int8_t* signs, const std::vector<float>& scores,
                                    const Values& values) {
  const auto d = static_cast<std::size_t>(p.head_dim);
  const double largest = static_cast<double>(*std::max_element(scores.begin(), scores.end()));
  std::vector<double> sums(d), output(d);
  double denominator = 0;
  std::vector<std::uint8_t> indices(d);
  for (std::size_t t = 0; t < scores.size(); ++t) {
    std::uint16_t norm = 0;
    unpack_record_ref(values.bytes.data() + t * static_cast<std::size_t>(p.record_bytes()),
                      p.head_dim, p.index_bits, indices.data(), &norm);
    const double weight =
        std::exp((static_cast<double>(scores[t]) - largest) * rom.score_scale * scale);
    denominator += weight;
    for (std::size_t i = 0; i < d; ++i)
      sums[i] += weight * half_to_double(norm) * rom.centroids[indices[i]];
  }
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      const bool odd = (std::popcount(i & j) & 1) != 0;
      output[i] += (odd ? -1 : 1) * signs[i] * sums[j] * rom.score_scale / denominator;
    }
  return output;
}

/// Squared distance of FP32 outputs from exact ones, and squared length of these.
std::pair<double, double> error_of(const AttentionResult& found, const std::vector<double>& exact) {
  double error = 0, square = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error += std::pow(value_of(found.outputs[i]) - exact[i], 2);
    square += exact[i] * exact[i];
  }
  return {error, square};
}

}  // namespace

TEST_CASE("constants of the defaults") {
  const std::array<BinaryScale, 3> softmax = {{{53856, -32}, {52279, -31}, {48017, -31}}};
  const std::array<BinaryScale, 3> value = {{{13514988, -37}, {13119285, -36}, {12049674, -36}}};
  for (int b = 2; b <= 4; ++b) {
    CASE(b);
    const double score_scale = codebook_rom(parameters_of(128, b)).score_scale;
    const auto at = static_cast<std::size_t>(b - 2);
    CHECK_SAME(softmax_scale(score_scale, default_attention_scale(128)), softmax[at]);
    CHECK_SAME(value_scale(score_scale), value[at]);
  }
  CHECK(default_weight_bits(1) == 12);
  CHECK(default_weight_bits(16) == 12);
  CHECK(default_weight_bits(17) == 13);
  CHECK(default_weight_bits(4096) == 20);
  CHECK(default_weight_bits(std::size_t{1} << 24) == 28);
  CHECK(weighted_sum_bits(Parameters(), 20, 4096) == 40);
}

// bit-contract.md#attention-vectors
TEST_CASE("one query of the contract, to the last bit") {
  const Parameters p = parameters_of(128, 3);
  const CodebookRom rom = codebook_rom(p);
  const std::vector<std::int8_t> signs(128, 1);
  const std::vector<float> scores = {0.0F, 100000.0F, 100000.0F, -50000.0F, 260000.0F};
  const std::uint16_t norms[] = {0x3C00, 0x8000, 0x0001, 0x7BFF, 0x3C01};
  Values values;
  for (unsigned t = 0; t < 5; ++t) {
    std::vector<std::uint8_t> indices(128);
    for (unsigned i = 0; i < 128; ++i) indices[i] = static_cast<std::uint8_t>((i + t) % 8);
    values.add(p, indices, norms[t]);
  }
  AttentionResult found;
  const auto attend = [&](std::size_t count, OutputFormat output) {
    attend_ref(attention_of(p, 20, output), p, rom, signs.data(), scores.data(),
               values.bytes.data(), count, &found);
  };
  struct Row {
    std::int32_t m;
    std::uint64_t denominator;
    std::uint32_t w;
    std::int32_t r;
    std::array<std::int64_t, 3> acc;
  };
  const Row rows[] = {{0, 4294967296, 524288, 1, {-46137344, -28835840, -16252928}},
                      {3, 3438739456, 0, 1, {-46137344, -28835840, -16252928}},
                      {3, 6340608000, 0, 1, {-46137344, -28835840, -16252928}},
                      {3, 6571511808, 901528, 15, {-9018096, 9013520, 27946376}},
                      {7, 3109360896, 2576, 15, {-8992336, 9093376, 28088056}}};
  for (std::size_t t = 0; t < 5; ++t) {
    CASE(t);
    attend(t + 1, OutputFormat::fp16);
    CHECK(found.maximum == rows[t].m);
    CHECK(found.denominator == rows[t].denominator);
    CHECK(found.weights[t] == rows[t].w);
    CHECK(found.weight_references[t] == rows[t].r);
    for (std::size_t i = 0; i < 3; ++i) CHECK_AT(i, found.sums[i] == rows[t].acc[i]);
  }
  CHECK_SAME(found.logits, std::vector<std::int32_t>{0, 9971, 9971, -4986, 25926});
  CHECK(found.output_shift == 12);
  CHECK(found.reciprocal == 18121698);
  CHECK(!found.output_saturated);
  CHECK_SAME(found.logit_saturated, std::vector<std::uint8_t>(5, 0));
  const std::vector<std::int32_t> rotated = {0,      379232,  -2048,   718432,
                                             609376, -690240, -605728, -689984};
  const std::vector<std::uint32_t> half = {0x0000, 0x5640, 0xB852, 0x59EC,
                                           0x5906, 0xD9B0, 0xD8FE, 0xD9B0};
  const std::vector<std::uint32_t> single = {0x00000000, 0x42C802D5, 0xBF0A41F1, 0x433D7454,
                                             0x4320B21D, 0xC3360520, 0xC31FBBD7, 0xC335F3D8};
  for (std::size_t i = 0; i < 128; ++i) {
    CASE(i);
    CHECK(found.rotated[i] == (i < 8 ? rotated[i] : 0));
    CHECK(found.outputs[i] == (i < 8 ? half[i] : 0));
  }
  attend(5, OutputFormat::fp32);
  for (std::size_t i = 0; i < 128; ++i) CHECK_AT(i, found.outputs[i] == (i < 8 ? single[i] : 0));
}

TEST_CASE("without a token, and without a weight, outputs are +0") {
  const Parameters p = parameters_of(32, 2);
  const CodebookRom rom = codebook_rom(p);
  const std::vector<std::int8_t> signs(32, -1);
  Values values;
  for (const std::uint16_t norm : {std::uint16_t{0}, std::uint16_t{0x8000}})
    values.add(p, std::vector<std::uint8_t>(32, 3), norm);
  const std::vector<float> scores = {1.0F, 2.0F};
  AttentionResult found;
  attend_ref(attention_of(p, 12, OutputFormat::fp32), p, rom, signs.data(), nullptr, nullptr, 0,
             &found);
  CHECK(found.maximum == -(1 << 15));
  CHECK(found.denominator == 0);
  CHECK(found.reciprocal == 0);
  for (const std::uint32_t bits : found.outputs) CHECK_AT(bits, bits == 0);
  attend_ref(attention_of(p, 12, OutputFormat::fp32), p, rom, signs.data(), scores.data(),
             values.bytes.data(), 2, &found);
  CHECK(found.maximum == 1);
  CHECK(found.denominator > 0);
  CHECK(found.reciprocal > 0);
  CHECK_SAME(found.weight_references, std::vector<std::int32_t>(2, -(1 << 15)));
  CHECK(found.output_shift == 0);
  for (const std::uint32_t bits : found.outputs) CHECK_AT(bits, bits == 0);
}

TEST_CASE("parameters of the attention that are out of range are named") {
  const auto message = [](AttentionParameters attention, const Parameters& p, std::size_t keys) {
    try {
      check(attention, p, keys);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Parameters p;
  const AttentionParameters good = attention_of(p, 20, OutputFormat::fp16);
  CHECK(message(good, p, 4096).empty());
  AttentionParameters bad = good;
  bad.group = 3;
  CHECK(message(bad, p, 4096) == "group is 3; it must be 1, 2, 4 or 8");
  bad = good;
  bad.weight_bits = 29;
  CHECK(message(bad, p, 4096) == "weight_bits is 29; it must lie in 12..28");
  bad = good;
  bad.scale = 0;
  CHECK(!message(bad, p, 4096).empty());
  bad.scale = 5e-324;  // its product with score_scale is 0
  CHECK(message(bad, p, 4096) ==
        "the softmax scale is 0 or infinite; it must be a positive number");
  bad.scale = std::ldexp(1.0, 200);
  CHECK(message(bad, p, 4096) ==
        "the softmax scale has an exponent of 173; it must lie in -128..127");
  Parameters wide{.centroid_bits = 16};
  bad = good;
  bad.weight_bits = 28;
  CHECK(message(bad, wide, std::size_t{1} << 19).empty());
  CHECK(!message(bad, wide, std::size_t{1} << 20).empty());
  Parameters prod;
  prod.kind = QuantizerKind::prod;
  CHECK(message(good, prod, 4096) == "attention excludes the kind prod and a split");
}

// The error table of the contract (bit-contract.md#attention-accuracy): bounds, not digits.
TEST_CASE("outputs are those of FP64 attention to the error that the contract states") {
  oracle::Rng rng(31);
  for (const int b : {2, 3, 4}) {
    const Parameters p = parameters_of(128, b);
    const CodebookRom rom = codebook_rom(p);
    std::vector<std::int8_t> signs(128);
    sign_vector(42, 0, 0, 128, signs.data());
    double square = 0, error = 0, worst = 0;
    for (int query = 0; query < 20; ++query) {
      Values values;
      std::vector<float> scores;
      for (int t = 0; t < 256; ++t) {
        std::vector<std::uint8_t> indices(128);
        for (auto& index : indices)
          index = static_cast<std::uint8_t>(oracle::uniform(rng, 0, (1 << b) - 1));
        values.add(p, indices, static_cast<std::uint16_t>(oracle::uniform(rng, 0x4000, 0x5800)));
        scores.push_back(static_cast<float>(oracle::uniform(rng, -2000000, 2000000)));
      }
      const AttentionParameters attention = attention_of(p, 20, OutputFormat::fp32);
      AttentionResult found;
      attend_ref(attention, p, rom, signs.data(), scores.data(), values.bytes.data(), 256, &found);
      const std::vector<double> exact =
          exact_attention(p, rom, attention.scale, signs.data(), scores, values);
      const auto [own_error, own_square] = error_of(found, exact);
      error += own_error;
      square += own_square;
      worst = std::max(worst, std::sqrt(own_error / own_square));
    }
    CASE(b);
    MESSAGE("relative error ", std::sqrt(error / square), ", worst ", worst);
    CHECK(std::sqrt(error / square) < 6e-5);
    CHECK(worst < 2e-4);
  }
}

TEST_CASE("a sink, and tokens that share the rest equally: within the bound of the contract") {
  const Parameters p = parameters_of(128, 3);
  const CodebookRom rom = codebook_rom(p);
  const std::vector<std::int8_t> signs(128, 1);
  constexpr int kTokens = 4096;
  // Values of the sink are apart from those of all others, so that their weights show.
  Values values;
  for (int t = 0; t < kTokens; ++t) {
    std::vector<std::uint8_t> indices(128);
    for (unsigned i = 0; i < 128; ++i)
      indices[i] = static_cast<std::uint8_t>((t == 0 ? i : 3 * i + 5) % 8);
    values.add(p, indices, 0x3C00);
  }
  // Length of a value of norm 1.
  double length = 0;
  for (const std::int32_t word : rom.centroids) length += std::pow(word * rom.score_scale, 2);
  length = std::sqrt(length * 128 * 128 / 8);
  for (const int weight_bits : {14, 16, 18, 20, 22}) {
    CASE(weight_bits);
    const AttentionParameters attention = attention_of(p, weight_bits, OutputFormat::fp32);
    double worst = 0, nearest = 0;
    for (double nats = 4; nats < 16; nats += 0.25) {
      std::vector<float> scores(kTokens, 0.0F);
      scores[0] = static_cast<float>(nats / (rom.score_scale * attention.scale));
      AttentionResult found;
      attend_ref(attention, p, rom, signs.data(), scores.data(), values.bytes.data(), kTokens,
                 &found);
      const std::vector<double> exact =
          exact_attention(p, rom, attention.scale, signs.data(), scores, values);
      const auto [error, square] = error_of(found, exact);
      // Shares of all tokens are 1 together; a share of 2^(r - m) * 2^32 / L is the top of the
      // binade of the largest weight.
      const double top = std::ldexp(1.0, found.weight_references.back() - found.maximum + 32) /
                         static_cast<double>(found.denominator);
      const double bound =
          std::ldexp(std::log(2.0), -13) + 3.1e-5 +
          top * (std::ldexp(kTokens, -weight_bits - 1) + std::ldexp(std::sqrt(128.0), -16)) +
          std::ldexp(1.0, -22);
      CASE(weight_bits, nats);
      REQUIRE(std::sqrt(error) <= bound * length);
      worst = std::max(worst, std::sqrt(error / square));
      nearest = std::max(nearest, std::sqrt(error) / (bound * length));
    }
    MESSAGE("weights of ", weight_bits, " bits: relative error up to ", worst, ", ", nearest,
            " of the bound");
    CHECK(nearest > 0.6);  // the bound is nearly reached
  }
}
