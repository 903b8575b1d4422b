#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "axelram/fast_kivi.hpp"
#include "axelram/fast_kivi_read.hpp"
#include "axelram/fast_nuq.hpp"
#include "axelram/fast_nuq_read.hpp"
#include "axelram/fast_squat.hpp"
#include "axelram/half.hpp"
#include "bench_report.hpp"
#include "tier_baselines.hpp"

using namespace axelram;

namespace {

constexpr SimdLevel kLevel = AXELRAM_BENCH_LEVEL;
constexpr std::size_t kDim = 128, kGroup = baselines::kGroup;
constexpr std::size_t kKeys = 65536;  // whose scores are made
constexpr std::size_t kBatch = 1024;  // rows that are coded and decoded

constexpr bench::Timing kTiming{1, 41, true};

/// A claim of `tokens` keys or values.
bench::Claim claim(const std::string& name, const std::string& working_set, std::size_t tokens,
                   double bar) {
  return {name, working_set, static_cast<double>(tokens), bar, bench::Ratio::speedup, kTiming};
}

/// The bars are of AVX-512; other levels are reported.
double bar(double wanted) { return kLevel == SimdLevel::avx512 ? wanted : 0; }

std::string mebibytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

/// Gaussian rows, FP16, and numbers for queries and weights.
struct Inputs {
  Inputs() {
    std::mt19937 random(7);
    std::normal_distribution<float> gaussian;
    for (std::size_t i = 0; i < kKeys * kDim; ++i)
      rows.push_back(double_to_half(double{gaussian(random)}));
    for (std::size_t i = 0; i < 4 * kKeys; ++i) floats.push_back(gaussian(random));
  }
  std::vector<std::uint16_t> rows;
  std::vector<float> floats;
};

/// Keys or values of KIVI, as stored and decoded.
struct KiviRows {
  KiviRows(const Inputs& inputs, int bits, bool keys, bool nested = false)
      : layout(keys ? kivi_key_layout(bits, kDim, kGroup) : kivi_value_layout(bits, kDim, kGroup)),
        tokens(keys ? kGroup : 1) {
    blocks.resize(kKeys / tokens * layout.bytes());
    for (std::size_t t = 0; t < kKeys; t += tokens)
      encode_kivi(layout, &inputs.rows[t * kDim], at(t), kLevel);
    if (!nested) return;
    const KiviLayout four_bits = layout;
    const std::vector<std::uint8_t> warm = blocks;
    layout = nested_kivi_layout(four_bits);
    blocks.resize(kKeys / tokens * layout.bytes());
    for (std::size_t b = 0; b < kKeys / tokens; ++b)
      nest_kivi(four_bits, &warm[b * four_bits.bytes()], &blocks[b * layout.bytes()]);
  }
  std::uint8_t* at(std::size_t token) { return &blocks[token / tokens * layout.bytes()]; }
  std::vector<float> decoded() {
    std::vector<float> x(kKeys * kDim);
    for (std::size_t t = 0; t < kKeys; t += tokens)
      decode_kivi(layout, at(t), &x[t * kDim], kLevel);
    return x;
  }

  KiviLayout layout;
  std::size_t tokens;
  std::vector<std::uint8_t> blocks;
};

std::string sizes(std::size_t floats, std::size_t bytes) {
  return mebibytes(4 * floats) + " / " + mebibytes(bytes);
}

std::string of_queries(std::size_t queries) {
  return queries == 1 ? "1 query" : std::to_string(queries) + " queries";
}

/// Scores of all keys against products with the same keys, decoded.
bool bench_scores(const Inputs& inputs, int bits, bool nested, bool claimed) {
  KiviRows keys(inputs, bits, true, nested);
  const std::vector<float> decoded = keys.decoded();
  std::vector<float> scores(4 * kKeys);
  bool holds = true;
  for (const std::size_t queries : {1, 2, 4})
    for (const bool by_rows : {true, false})
      holds &= bench::compare(
          claim("score, kivi" + std::to_string(nested ? 2 : bits) + (nested ? " nested" : "") +
                    ", " + of_queries(queries) + ": Eigen, " + (by_rows ? "row" : "column") +
                    "-major",
                sizes(decoded.size(), keys.blocks.size()), kKeys, claimed ? bar(2) : 0),
          [&] {
            baselines::eigen_scores(decoded.data(), by_rows, inputs.floats.data(), queries, kKeys,
                                    kDim, scores.data());
          },
          [&] {
            score_kivi(keys.layout, keys.blocks.data(), kKeys / kGroup, inputs.floats.data(),
                       queries, kDim, scores.data(), kKeys, kLevel);
          });
  return holds;
}

/// Sums over all values against products with the same values, decoded.
void bench_sums(const Inputs& inputs, int bits) {
  KiviRows values(inputs, bits, false);
  const std::vector<float> decoded = values.decoded();
  std::vector<float> sums(4 * kDim);
  for (const std::size_t queries : {1, 4})
    bench::compare(
        claim(
            "sum, kivi" + std::to_string(bits) + ", " + of_queries(queries) + ": Eigen, row-major",
            sizes(decoded.size(), values.blocks.size()), kKeys, 0),
        [&] {
          baselines::eigen_sums(decoded.data(), inputs.floats.data(), queries, kKeys, kDim,
                                sums.data());
        },
        [&] {
          sum_kivi(values.layout, values.blocks.data(), kKeys, inputs.floats.data(), queries, kKeys,
                   sums.data(), kDim, kLevel);
        });
}

/// Coding and decoding against the reference.
bool bench_kivi(const Inputs& inputs, int bits, bool keys) {
  KiviRows rows(inputs, bits, keys);
  std::vector<float> x(kBatch * kDim);
  const std::string what =
      "kivi" + std::to_string(bits) + (keys ? " keys: *_ref" : " values: *_ref");
  const auto each = [&](auto run) {
    for (std::size_t t = 0; t < kBatch; t += rows.tokens) run(t);
  };
  const bool holds = bench::compare(
      claim("code, " + what, "L2", kBatch, bar(8)),
      [&] {
        each([&](std::size_t t) {
          baselines::encode_kivi(bits, kDim, keys, &inputs.rows[t * kDim], rows.at(t));
        });
      },
      [&] {
        each([&](std::size_t t) {
          encode_kivi(rows.layout, &inputs.rows[t * kDim], rows.at(t), kLevel);
        });
      });
  bench::compare(
      claim("decode, " + what, "L2", kBatch, 0),
      [&] {
        each([&](std::size_t t) {
          baselines::decode_kivi(bits, kDim, keys, rows.at(t), &x[t * kDim]);
        });
      },
      [&] {
        each([&](std::size_t t) { decode_kivi(rows.layout, rows.at(t), &x[t * kDim], kLevel); });
      });
  return holds;
}

bool bench_squat(const Inputs& inputs, int bits, std::size_t channels) {
  constexpr std::size_t kTokens = 128;
  constexpr int kExponent = -16;
  SquatFeedback feedback{kDim, channels, {}, std::vector<int>(kDim / channels - 1, kExponent)};
  std::mt19937 random(8);
  std::uniform_int_distribution<int> uniform(-3000, 3000);
  while (feedback.matrices.size() < feedback.offset(feedback.runs()))
    feedback.matrices.push_back(static_cast<std::int16_t>(uniform(random)));
  const baselines::Squat baseline(bits, kDim, channels, feedback.matrices.data(),
                                  feedback.matrices.size(), kExponent);
  const KiviLayout layout = kivi_key_layout(bits, kDim, kGroup);
  std::vector<std::uint8_t> block(layout.bytes());
  const auto each = [&](auto run) {
    for (std::size_t t = 0; t < kTokens; t += kGroup) run(&inputs.rows[t * kDim]);
  };
  return bench::compare(
      claim("code, squat" + std::to_string(bits) + " keys, runs of " + std::to_string(channels) +
                ": *_ref",
            "L2", kTokens, bar(8)),
      [&] { each([&](const std::uint16_t* x) { baseline.encode(x, block.data()); }); },
      [&] {
        each([&](const std::uint16_t* x) {
          encode_squat(layout, feedback, x, block.data(), kLevel);
        });
      });
}

bool bench_nuq(const Inputs& inputs, int bits) {
  const int levels = 1 << bits;
  std::vector<std::uint16_t> centroids;
  for (int j = 0; j < levels; ++j) centroids.push_back(double_to_half((2.0 * j + 1) / levels - 1));
  const std::vector<std::uint16_t> middles(kDim, double_to_half(0.125)),
      radii(kDim, double_to_half(2.5));
  const baselines::Nuq baseline(bits, kDim, centroids.data(), middles.data(), radii.data());
  const std::vector<double> boundaries = nuq_boundaries_ref(centroids);
  bool holds = true;
  for (const bool keys : {true, false}) {
    const NuqLayout layout{bits, kDim, 2, !keys};
    const NuqRanges ranges =
        keys ? NuqRanges{middles.data(), radii.data()} : NuqRanges{nullptr, nullptr};
    std::vector<std::uint8_t> rows(kKeys * layout.bytes());
    std::vector<float> decoded(kKeys * kDim), out(kKeys);
    const std::string name = "kvquant" + std::to_string(bits) + (keys ? " keys" : " values");
    const auto encode = [&](std::size_t t) {
      const std::uint16_t* const x = &inputs.rows[t * kDim];
      std::uint8_t* const row = &rows[t * layout.bytes()];
      if (keys)
        encode_nuq_key(layout, boundaries, ranges, x, row, kLevel);
      else
        encode_nuq_value(layout, boundaries, x, row, kLevel);
    };
    for (std::size_t t = 0; t < kKeys; ++t) {
      encode(t);
      decode_nuq(layout, centroids, ranges, &rows[t * layout.bytes()], &decoded[t * kDim], kLevel);
    }
    holds &= bench::compare(
        claim("code, " + name + ": *_ref", "L2", kBatch, bar(8)),
        [&] {
          for (std::size_t t = 0; t < kBatch; ++t)
            baseline.encode(keys, &inputs.rows[t * kDim], &rows[t * layout.bytes()]);
        },
        [&] {
          for (std::size_t t = 0; t < kBatch; ++t) encode(t);
        });
    bench::compare(
        claim((keys ? "score, " : "sum, ") + name + ", 1 query: Eigen, row-major",
              sizes(decoded.size(), rows.size()), kKeys, 0),
        [&] {
          const float* const in = inputs.floats.data();
          if (keys)
            baselines::eigen_scores(decoded.data(), true, in, 1, kKeys, kDim, out.data());
          else
            baselines::eigen_sums(decoded.data(), in, 1, kKeys, kDim, out.data());
        },
        [&] {
          const float* const in = inputs.floats.data();
          if (keys)
            score_nuq(layout, centroids, ranges, rows.data(), kKeys, in, 1, kDim, out.data(), kKeys,
                      kLevel);
          else
            sum_nuq(layout, centroids, rows.data(), kKeys, in, 1, kKeys, out.data(), kDim, kLevel);
        });
  }
  return holds;
}

}  // namespace

int main() {
  bench::print_header(std::string("level: ") + simd_level_name(kLevel) +
                          ", baselines compiled with " AXELRAM_BENCH_FLAGS,
                      bench::Ratio::speedup, kTiming);
  if (kLevel > best_simd_level()) {
    std::printf("this CPU cannot run the level: nothing measured\n");
    return 0;
  }
  const Inputs inputs;
  bool holds = bench_scores(inputs, 4, false, true);
  holds &= bench_scores(inputs, 2, false, true);
  holds &= bench_scores(inputs, 4, true, true);
  bench_scores(inputs, 3, false, false);
  for (const int bits : {4, 3, 2}) bench_sums(inputs, bits);
  for (const int bits : {4, 3, 2})
    for (const bool keys : {true, false}) holds &= bench_kivi(inputs, bits, keys);
  for (const int bits : {4, 2})
    for (const std::size_t channels : {64, 8}) holds &= bench_squat(inputs, bits, channels);
  for (const int bits : {4, 3, 2}) holds &= bench_nuq(inputs, bits);
  return holds ? 0 : 1;
}
