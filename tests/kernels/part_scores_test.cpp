#include <cmath>

#include "axelram/kernels/constants.hpp"
#include "check.hpp"
#include "device/launch.cuh"
#include "golden_scores.hpp"
#include "paged.hpp"
#include "two_parts.hpp"
#include "units/part_fragments.cuh"

using namespace axelram;
using namespace axelram::kernels;
using namespace test;

// Attention shows its scores in sums only. This kernel gives those of one tile away.
namespace {

constexpr int kQueries = 8;

struct TileScoring {
  Pages pages;
  const std::uint8_t* tile;
  const std::int8_t *u, *v;  ///< [8, d]
  CentroidBytes first, second;
  double scale;  ///< of the second term
  float factor;
  float* scores;  ///< [8, 32]
};

template <int kDim, PartKind kKind>
AXELRAM_KERNEL void score_tile(TileScoring s) {
  const auto lane = static_cast<int>(lane_index());
  PartWords<kDim, kKind> words;
  words.load_tile(s.pages, s.tile);
  PartScores<kDim, kKind> scorer;
  scorer.load_query(s.u, s.v, std::int64_t{lane / 4} * kDim, true);
  for (int h = 0; h < 2; ++h) {
    scorer.factors[h] = s.factor;
    scorer.scales[h] = s.scale;
  }
  TileScores scores;
  scorer.multiply(words, s.first, s.second, scores);
  for (int i = 0; i < 4; ++i)
    for (int h = 0; h < 2; ++h)
      s.scores[(lane % 4 * 2 + h) * kTileTokens + 8 * i + lane / 4] = scores[i][h];
}

template <int kDim, PartKind kKind>
void check_scores(const Parameters& p, int exponent, int residual_exponent) {
  CASE(text_of(p), exponent);
  const auto d = static_cast<std::size_t>(kDim);
  const auto bytes = static_cast<std::size_t>(p.record_bytes());
  const CodebookRom rom = codebook_rom(p);
  const MacroConstants c = macro_constants(p, rom);
  const auto u = random_queries<std::int8_t>(kQueries * d, 8, 1);
  const auto v = random_queries<std::int8_t>(kQueries * d, 8, 2);
  std::vector<std::uint8_t> records = random_bytes(kTileTokens * bytes, 3);
  for (std::size_t t = 0; t < kTileTokens; t += 5)
    std::fill_n(&records[t * bytes + bytes - 4], 2, std::uint8_t{0});
  Pages pages = part_pages(p, 1, kTileTokens);
  std::vector<std::uint8_t> tile(tile_bytes(pages));
  for (int t = 0; t < kTileTokens; ++t)
    put_record(tile.data(), pages, t, &records[static_cast<std::size_t>(t) * bytes]);
  Stream stream;
  const Buffer<std::uint8_t> device_tile(stream, tile);
  const Buffer<std::int8_t> device_u(stream, u), device_v(stream, v);
  const Buffer<float> scores(kQueries * kTileTokens);
  launch(
      stream, {"score_tile", "one", 1, 1, 1, 32}, score_tile<kDim, kKind>,
      TileScoring{
          pages, device_tile.data(), device_u.data(), device_v.data(), centroid_bytes(c, c.states),
          centroid_bytes(c.second, c.states),
          p.prod() ? residual_factor(c.residual_scale, c.log2_dim, exponent, residual_exponent) : 1,
          std::ldexp(1.0F, exponent), scores.data()});
  std::vector<float> expected(kQueries * kTileTokens);
  for (std::size_t q = 0; q < kQueries; ++q) {
    const std::vector<std::int32_t> wide(&u[q * d], &u[q * d] + d),
        wide_v(&v[q * d], &v[q * d] + d);
    const auto parts =
        score_parts_of(p, rom, wide.data(), exponent, wide_v.data(), residual_exponent);
    score_parts_ref(parts[0], parts[1], records.data(), kTileTokens, &expected[q * kTileTokens],
                    nullptr, nullptr);
  }
  REQUIRE(test::same_bits(scores.download(stream), expected));
}

template <int kDim>
void check_all() {
  for (const Parameters& p : all_two_parts(kDim))
    for (const int exponent : {-60, -12, 0, 25})
      if (p.prod())
        check_scores<kDim, PartKind::prod>(p, exponent, exponent + 3);
      else if (p.trellis())
        check_scores<kDim, PartKind::split_trellis>(p, exponent, 0);
      else
        check_scores<kDim, PartKind::split>(p, exponent, 0);
}

}  // namespace

TEST_CASE("two parts: the scores that attention weighs are golden's, to the last bit") {
  check_all<64>();
  check_all<128>();
}
