#include "parts_bench.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/datapath.hpp"
#include "axelram/fast.hpp"
#include "axelram/half.hpp"
#include "axelram/head_rotation.hpp"
#include "bench_report.hpp"

using namespace axelram;

namespace {

constexpr int kDim = 128;
constexpr std::size_t kBatch = 256;

std::vector<std::uint16_t> gaussian_elements(std::size_t count) {
  std::mt19937 random(3);
  std::normal_distribution<double> gaussian;
  std::vector<std::uint16_t> elements;
  for (std::size_t i = 0; i < count; ++i) elements.push_back(double_to_half(gaussian(random)));
  return elements;
}

/// A macro's records of Gaussian keys, and a query.
class Memory {
 public:
  Memory(const Parameters& p, std::size_t count)
      : parameters_(p),
        rom_(std::make_shared<const CodebookRom>(codebook_rom(p))),
        path_(p, rom_, rotation_of(p), {}, fast_units()),
        keys_(gaussian_elements(kBatch * kDim)),
        results_(kBatch) {
    path_.round(keys_.data(), &query_);
    const std::vector<std::uint8_t> batch = path_.records(keys_.data(), kBatch);
    for (std::size_t k = 0; k < count; k += kBatch)
      records_.insert(records_.end(), batch.begin(), batch.end());
    scores_.resize(count);
  }

  void score(SimdLevel level) {
    const Parameters& p = parameters_;
    if (!p.two_parts()) {
      const ScoreQuery query = {
          query_.u.data(), query_.exponent,        kDim,
          p.index_bits,    rom_->centroids.data(), p.trellis() ? p.states : 0};
      score_keys(query, records_.data(), scores_.size(), scores_.data(), nullptr, level);
      return;
    }
    const std::array<ScorePart, 2> parts = score_parts_of();
    score_parts(parts[0], parts[1], records_.data(), scores_.size(), scores_.data(), nullptr,
                nullptr, level);
  }

  void write() { path_.write(keys_.data(), kBatch, results_.data()); }

  std::string size() const {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(records_.size()) / 1048576);
    return text;
  }

 private:
  static HeadRotation rotation_of(const Parameters& p) {
    std::vector<std::uint16_t> high(p.split() ? kDim / 2 : 0);
    for (std::size_t i = 0; i < high.size(); ++i) high[i] = static_cast<std::uint16_t>(2 * i);
    return seeded_rotation(p, kDefaultSeed, 0, 0, high);
  }

  std::array<ScorePart, 2> score_parts_of() const {
    const Parameters& p = parameters_;
    static constexpr std::int32_t kSigns[] = {1, -1};
    if (p.prod())
      return {{{query_.u.data(), query_.exponent, kDim, p.codebook_bits(), rom_->centroids.data(),
                0, 1},
               {query_.v.data(), query_.residual_exponent - 20, kDim, 1, kSigns, 0,
                rom_->residual_scale}}};
    const int states = p.trellis() ? p.states : 0;
    return {{{query_.u.data(), query_.exponent, kDim / 2, p.split_high, rom_->centroids.data(),
              states, 1},
             {query_.u.data() + kDim / 2, query_.exponent, kDim / 2, p.split_low,
              rom_->second->centroids.data(), states, 1}}};
  }

  Parameters parameters_;
  std::shared_ptr<const CodebookRom> rom_;
  Datapath path_;
  std::vector<std::uint16_t> keys_;
  std::vector<KeyResult> results_;
  QueryResult query_;
  std::vector<std::uint8_t> records_;
  std::vector<float> scores_;
};

struct Row {
  std::string name;
  Parameters baseline, ours;
  double bar;  ///< our time over the baseline's
};

std::vector<Row> rows() {
  std::vector<Row> all;
  for (int b = 2; b <= 4; ++b) {
    Parameters mse, prod;
    mse.index_bits = prod.index_bits = b;
    prod.kind = QuantizerKind::prod;
    all.push_back({"prod: mse, d=128 b=" + std::to_string(b), mse, prod, 1.8});
  }
  for (const bool trellis : {false, true})
    for (const auto& [high, low] : {std::pair{3, 1}, {3, 2}, {4, 2}, {4, 3}}) {
      Parameters one, split;
      one.scale = split.scale = ScaleKind::unbiased;
      if (trellis) one.kind = split.kind = QuantizerKind::trellis;
      split.split_high = high;
      split.split_low = low;
      const std::string kind = trellis ? "8 states" : "mse";
      all.push_back({"split " + std::to_string(high) + "/" + std::to_string(low) +
                         (trellis ? ", 8 states: " : ": ") + kind + ", d=128 b=3",
                     one, split, trellis ? 0 : 1.3});
    }
  return all;
}

}  // namespace

bool bench_parts(std::size_t keys, SimdLevel level, bool claimed) {
  bool holds = true;
  for (const Row& row : rows()) {
    Memory baseline(row.baseline, keys), ours(row.ours, keys);
    holds &= bench::compare(
        {"score of " + row.name, ours.size(), static_cast<double>(keys),
         claimed && row.bar != 0 ? 1 / row.bar : 0},
        [&] { baseline.score(level); }, [&] { ours.score(level); });
  }
  for (const Row& row : rows()) {
    Memory baseline(row.baseline, kBatch), ours(row.ours, kBatch);
    bench::compare(
        {"write of " + row.name, "64 KiB", static_cast<double>(kBatch), 0},
        [&] { baseline.write(); }, [&] { ours.write(); });
  }
  return holds;
}
