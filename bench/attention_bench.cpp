#include "attention_bench.hpp"

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "axelram/fast_attention.hpp"
#include "axelram/record.hpp"
#include "bench_report.hpp"

using namespace axelram;

namespace {

constexpr int kDim = 128;

constexpr double kNats = 1.5;  ///< standard deviation of the logits

/// Gaussian scores, of which few tokens are too far below the largest for a weight, and random
/// records of values.
struct Inputs {
  /// unit: of a score, in nats.
  Inputs(const Parameters& p, double unit, std::size_t tokens) : signs(kDim, 1) {
    std::mt19937 random(4);
    std::normal_distribution<double> gaussian(0, kNats / unit);
    std::vector<std::uint8_t> record(static_cast<std::size_t>(p.record_bytes()));
    for (std::size_t t = 0; t < tokens; ++t) {
      scores.push_back(static_cast<float>(gaussian(random)));
      for (std::uint8_t& byte : record) byte = static_cast<std::uint8_t>(random());
      record.back() = 0x44;  // norms about 4
      records.insert(records.end(), record.begin(), record.end());
    }
  }
  std::vector<float> scores;
  std::vector<std::uint8_t> records;
  std::vector<std::int8_t> signs;
};

}  // namespace

bool bench_attention(std::size_t tokens, SimdLevel level, bool claimed) {
  bool holds = true;
  for (const bool trellis : {false, true})
    for (const int index_bits : {2, 3, 4}) {
      Parameters p;
      p.index_bits = index_bits;
      if (trellis) p.kind = QuantizerKind::trellis;
      const CodebookRom rom = codebook_rom(p);
      const AttentionParameters attention{1, default_weight_bits(tokens),
                                          default_attention_scale(kDim), OutputFormat::fp16};
      const Inputs inputs(p, rom.score_scale * attention.scale, tokens);
      AttentionResult result;
      char name[64], size[32];
      std::snprintf(name, sizeof name, "attend%s: *_ref, d=128 b=%d", trellis ? ", 8 states" : "",
                    index_bits);
      std::snprintf(size, sizeof size, "%.0f KiB",
                    static_cast<double>(inputs.records.size()) / 1024);
      holds &= bench::compare(
          {name, size, static_cast<double>(tokens), claimed && !trellis ? 4.0 : 0.0},
          [&] {
            attend_ref(attention, p, rom, inputs.signs.data(), inputs.scores.data(),
                       inputs.records.data(), tokens, &result);
          },
          [&] {
            attend(attention, p, rom, inputs.signs.data(), inputs.scores.data(),
                   inputs.records.data(), tokens, &result, level);
          });
    }
  return holds;
}
