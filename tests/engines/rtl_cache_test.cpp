#include "axelram/caches/cache.hpp"
#include "axelram/files/feedback.hpp"
#include "axelram/files/position_centers.hpp"
#include "axelram/unit_table.hpp"
#include "check.hpp"
#include "model/caches/support.hpp"
#include "src/rtl.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr std::size_t kDim = 32, kTokens = 14;
constexpr caches::Shape kOneHead{1, 1, 32};

/// Scores of queries 3 .. kTokens - 1 with the keys from token 2 on, other places at 0.
Floats scores_of(const transformer::KvCache& cache, const Floats& rows, const Floats& queries) {
  constexpr std::size_t kFirst = 3, kOldest = 2;
  Floats scores(kTokens * kTokens);
  const auto keys = cache.keys(0, 0);
  keys->begin(0);
  keys->write(rows.data(), kTokens);
  keys->score(&queries[kFirst * kDim], kTokens - kFirst, kFirst, kOldest, kTokens,
              &scores[kFirst * kTokens]);
  return scores;
}

}  // namespace

TEST_CASE("keys in RTL score as golden: a trellis, exact tokens, feedback, centers") {
  const test::TemporaryFolder folder;
  const Floats rows = test::gaussian(kTokens * kDim, 1),
               queries = test::gaussian(kTokens * kDim, 2);
  files::QueryMoments moments{1, 1, kDim, Floats(kDim), {40}, {}};
  moments.directions[3] = 1;
  files::write_query_moments(folder / "moments", moments, {}, false);
  const files::PositionCenters centers{
      1, 1, kDim, test::gaussian(kDim, 3), Floats(kDim / 2, 0.1F), 4, false};
  files::write_position_centers(folder / "centers", centers, {}, false);
  const auto configuration = [&](const std::string& more) {
    static int number = 0;
    const std::string path = folder / "c" + std::to_string(number++) + ".yaml";
    test::put(path, "macro: {head_dim: 32, max_keys: 16}\n" + more);
    return "axelram:config=" + path;
  };
  for (const std::string& specification :
       {configuration("quantizer: {kind: trellis}\n"),
        configuration("quantizer: {scale: unbiased}\nexact: {first: 3, last: 4}\n"),
        configuration("quantizer: {kind: trellis, scale: unbiased}\n") +
            ",encoder=feedback:" + folder / "moments",
        configuration("quantizer: {scale: unbiased}\nexact: {first: 1, last: 2}\n") +
            ",centers=" + folder / "centers"}) {
    CASE(specification);
    const caches::Specification parsed = caches::parse_specification(specification);
    const Floats golden =
        scores_of(*caches::make_cache(parsed, kOneHead, reference_units()), rows, queries);
    const Floats rtl = scores_of(*engines::rtl_cache(parsed, kOneHead, {}), rows, queries);
    CHECK(test::same_bits(rtl, golden));
  }
}
