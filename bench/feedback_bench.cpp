#include "feedback_bench.hpp"

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/datapath.hpp"
#include "axelram/fast.hpp"
#include "axelram/half.hpp"
#include "axelram/signs.hpp"
#include "bench_report.hpp"

using namespace axelram;

bool bench_feedback(int d, int index_bits, bool claimed) {
  constexpr std::size_t kBatch = 64;
  std::mt19937 random(2);
  std::normal_distribution<float> gaussian;
  const auto size = static_cast<std::size_t>(d);
  std::vector<std::uint16_t> keys;
  for (std::size_t i = 0; i < kBatch * size; ++i)
    keys.push_back(double_to_half(double{gaussian(random)}));
  QueryMoment rank1, full;
  rank1.alpha = 50;
  for (std::size_t i = 0; i < size; ++i)
    rank1.direction.push_back(gaussian(random) / std::sqrt(static_cast<float>(d)));
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      full.full.push_back(50 * rank1.direction[i] * rank1.direction[j] + (i == j ? 1.0F : 0.0F));
  std::vector<std::int8_t> signs(size);
  sign_vector(42, 0, 0, d, signs.data());
  Parameters p;
  p.head_dim = d;
  p.index_bits = index_bits;
  const auto path_of = [&](bool trellis, ScaleKind scale, const QueryMoment* moment) {
    p.kind = trellis ? QuantizerKind::trellis : QuantizerKind::mse;
    p.scale = scale;
    Datapath path(p, std::make_shared<const CodebookRom>(codebook_rom(p)), signs, {}, fast_units());
    if (moment != nullptr) path.set_feedback(feedback_of(*moment, signs.data(), d));
    return path;
  };
  std::vector<KeyResult> results(kBatch);
  Datapath plain = path_of(false, ScaleKind::norm, nullptr);
  bool holds = true;
  for (const QueryMoment* moment : {&rank1, &full})
    for (const bool trellis : {false, true})
      for (const std::size_t together : {kBatch, std::size_t{1}}) {
        Datapath fed = path_of(trellis, ScaleKind::unbiased, moment);
        const bool with_bar = claimed && moment == &rank1 && !trellis && together == kBatch;
        const std::string name = std::string(moment == &rank1 ? "rank 1" : "full") +
                                 (trellis ? ", 8 states" : "") +
                                 (together == 1 ? ", a key at a time" : "");
        holds &= bench::compare(
            {"feedback of " + name + ": datapath, plain, d=" + std::to_string(d) +
                 " b=" + std::to_string(index_bits),
             std::to_string(keys.size() / 512) + " KiB", static_cast<double>(kBatch),
             with_bar ? 1.0 / 3 : 0},
            [&] { plain.write(keys.data(), kBatch, results.data()); },
            [&] {
              for (std::size_t k = 0; k < kBatch; k += together)
                fed.write(&keys[k * size], together, &results[k]);
            });
      }
  return holds;
}
