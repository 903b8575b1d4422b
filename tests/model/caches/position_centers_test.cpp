#include "axelram/files/position_centers.hpp"

#include <cmath>

#include "axelram/transformer/rotary_table.hpp"
#include "support.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr std::size_t kD = 64, kPairs = kD / 2, kTokens = 75;
constexpr caches::Shape kShape{2, 2, 64};
constexpr int kLayer = 1, kHead = 0;

files::PositionCenters centers(int block, bool interleaved) {
  files::PositionCenters all{2, 2, kD, test::gaussian(4 * kD, 21, 3), {}, block, interleaved};
  for (std::size_t i = 0; i < 2 * kPairs; ++i)
    all.frequencies.push_back(
        static_cast<float>(
            std::pow(1000.0, -static_cast<double>(i % kPairs) / static_cast<double>(kPairs))) /
        (i < kPairs ? 2 : 1));
  return all;
}

/// The center of a position, by its definition.
std::vector<double> center_at(const files::PositionCenters& all, std::size_t position) {
  checkpoints::Rotary rotary;
  rotary.attention_factor = 1;
  for (std::size_t i = 0; i < kPairs; ++i)
    rotary.frequencies.push_back(double{all.frequencies[kLayer * kPairs + i]});
  const transformer::RotaryTable table(rotary, all.interleaved, 256);
  const auto block = static_cast<std::size_t>(all.block);
  std::vector<double> sum(kD);
  for (std::size_t t = position / block * block; t < position / block * block + block; ++t) {
    Floats turned(kD);
    for (std::size_t i = 0; i < kD; ++i) turned[i] = all.centers[(kLayer * 2 + kHead) * kD + i];
    table.turn(t, turned.data());
    for (std::size_t i = 0; i < kD; ++i) sum[i] += double{turned[i]} / all.block;
  }
  return sum;
}

}  // namespace

TEST_CASE("keys lose the center of their block of positions, scores get its product back") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "macro.yaml";
  const Floats rows = test::gaussian(kTokens * kD, 31), queries = test::gaussian(kTokens * kD, 32);
  for (const std::string exact : {"", "exact: {first: 2, last: 3}\n"}) {
    test::put(path, "macro: {head_dim: 64}\nquantizer: {scale: unbiased}\n" + exact);
    for (const bool interleaved : {false, true})
      for (const int block : {1, 8, 32, 200}) {
        CASE(exact, interleaved, block);
        const files::PositionCenters all = centers(block, interleaved);
        files::write_position_centers(folder / "centers", all, {}, true);
        Floats without = rows;
        std::vector<double> products;
        for (std::size_t t = 0; t < kTokens; ++t) {
          const std::vector<double> center = center_at(all, t);
          for (std::size_t i = 0; i < kD; ++i) without[t * kD + i] -= static_cast<float>(center[i]);
          for (std::size_t q = 0; q < kTokens; ++q) {
            double product = 0;
            for (std::size_t i = 0; i < kD; ++i) product += double{queries[q * kD + i]} * center[i];
            products.push_back(product);
          }
        }
        const std::string plain = "axelram:config=" + path;
        const auto scores = [&](const std::string& cache, const Floats& keys) {
          return test::all_scores(*test::cache(cache, kShape)->keys(kLayer, kHead), keys, queries,
                                  kD);
        };
        const Floats measured = scores(plain + ",centers=" + folder / "centers", rows),
                     expected = scores(plain, without);
        // A key may fall on the other side of a boundary, by the last bit of its center.
        std::size_t far = 0;
        for (std::size_t q = 0; q < kTokens; ++q)
          for (std::size_t t = 0; t < kTokens; ++t) {
            const double right =
                t > q ? 0 : double{expected[q * kTokens + t]} + products[t * kTokens + q];
            far += std::abs(double{measured[q * kTokens + t]} - right) > 1e-3 ? 1 : 0;
          }
        CHECK(far <= kTokens);
      }
  }
}

TEST_CASE("centers of positions: rows written and scored in parts, and after another sequence") {
  const test::TemporaryFolder folder;
  test::put(folder / "macro.yaml", "macro: {head_dim: 64}\n");
  files::write_position_centers(folder / "centers", centers(8, false), {}, false);
  const Floats rows = test::gaussian(kTokens * kD, 41), queries = test::gaussian(kTokens * kD, 42);
  const auto keys =
      test::cache("axelram:config=" + folder / "macro.yaml" + ",centers=" + folder / "centers",
                  kShape)
          ->keys(kLayer, kHead);
  const Floats whole = test::all_scores(*keys, rows, queries, kD, 0);
  keys->begin(1);
  keys->write(queries.data(), 5);
  keys->begin(2);
  constexpr std::size_t kOldest = 11;
  std::size_t written = 0;
  for (const std::size_t part : {std::size_t{13}, std::size_t{1}, kTokens - 14}) {
    CASE(part);
    keys->write(&rows[written * kD], part);
    Floats scores(part * kTokens);
    const std::size_t oldest = std::min(written, kOldest);
    keys->score(&queries[written * kD], part, written, oldest, kTokens, scores.data());
    for (std::size_t i = 0; i < part; ++i)
      for (std::size_t t = 0; t < kTokens; ++t) {
        CASE(i, t);
        CHECK(scores[i * kTokens + t] ==
              (t < oldest || t > written + i ? 0 : whole[(written + i) * kTokens + t]));
      }
    written += part;
  }
}

TEST_CASE("centers of positions: files that do not fit, and two centers, are rejected") {
  const test::TemporaryFolder folder;
  const std::string macro = folder / "macro.yaml", file = folder / "centers";
  test::put(macro, "macro: {head_dim: 64}\n");
  const std::string cache = "axelram:config=" + macro + ",centers=" + file;
  const auto message = [&](const std::string& text) {
    return test::message([&] { test::cache(text, kShape); });
  };
  CHECK(test::contains(message(cache), file));
  files::PositionCenters all{1, 2, kD, Floats(2 * kD), Floats(kPairs), 8, false};
  files::write_position_centers(file, all, {}, false);
  CHECK(message(cache) == file +
                              ": it has 1 layers of 2 KV heads, the model 2 of 2; use a file made "
                              "for this model");
  files::write_position_centers(file, centers(8, false), {}, true);
  CHECK(message(cache).empty());
  const std::vector<std::uint16_t> zeros(4 * kD);
  files::write_safetensors(folder / "center",
                           {files::view("center", files::DataType::f16, {2, 2, kD}, zeros)}, {},
                           false);
  test::put(macro, "macro: {head_dim: 64}\nrotation: {center: center}\n");
  CHECK(message(cache) == macro + ": rotation has a center, to which centers=" + file +
                              " would add; leave one of them out");
  // Values have no centers: the file is only read.
  test::put(macro, "macro: {head_dim: 64}\n");
  const Floats rows = test::gaussian(3 * kD, 51), weights = test::causal_weights(3, 52);
  const auto sums = [&](const std::string& text) {
    const auto values = test::cache(text, kShape)->values(kLayer, kHead);
    Floats out(3 * kD);
    values->write(rows.data(), 3);
    values->weighted_sum(weights.data(), 3, 0, 0, 3, out.data());
    return out;
  };
  CHECK(test::same_bits(sums(cache), sums("axelram:config=" + macro)));
}
