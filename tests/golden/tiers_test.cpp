#include "axelram/tiers.hpp"

#include <algorithm>
#include <stdexcept>

#include "axelram/kivi.hpp"
#include "axelram/record.hpp"
#include "axelram/tier_bytes.hpp"
#include "check.hpp"
#include "golden/fields.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

/// Bounds by moving step after step: a step leaves the hot tier when `hot` others are behind it.
struct Walk {
  TierSizes sizes;
  std::size_t warm_end, archive_end;

  explicit Walk(const TierSizes& of) : sizes(of), warm_end(of.sink), archive_end(of.sink) {}
  void advance(std::size_t tokens) {
    while (archive_end + sizes.step + sizes.warm + sizes.hot <= tokens) archive_end += sizes.step;
    while (warm_end + sizes.step + sizes.hot <= tokens) warm_end += sizes.step;
  }
  TierBounds bounds() const { return {warm_end, archive_end}; }
};

TierSizes random_sizes(oracle::Rng& rng) {
  const auto draw = [&](int least, int most) {
    return static_cast<std::size_t>(oracle::uniform(rng, least, most));
  };
  return {draw(1, 100), draw(0, 100) * draw(0, 1), draw(1, 40), draw(0, 10)};
}

constexpr TierFormat kFormats[] = {TierFormat::kivi, TierFormat::kivi_nested, TierFormat::squat,
                                   TierFormat::kvquant, TierFormat::axelram};

}  // namespace

TEST_CASE("tiers: the contract's bounds") {
  const auto bounds = [](const TierSizes& sizes, std::size_t tokens) {
    return tier_bounds_ref(sizes, tokens);
  };
  const TierSizes defaults;
  CHECK_SAME(bounds(defaults, 0), TierBounds{0, 0});
  CHECK_SAME(bounds(defaults, 64), TierBounds{0, 0});
  CHECK_SAME(bounds(defaults, 95), TierBounds{0, 0});
  CHECK_SAME(bounds(defaults, 96), TierBounds{32, 0});
  CHECK_SAME(bounds(defaults, 543), TierBounds{448, 0});
  CHECK_SAME(bounds(defaults, 544), TierBounds{480, 32});
  CHECK_SAME(bounds(defaults, 32768), TierBounds{32704, 32256});
  const TierSizes sinks{64, 64, 32, 4};
  CHECK_SAME(bounds(sinks, 3), TierBounds{4, 4});
  CHECK_SAME(bounds(sinks, 99), TierBounds{4, 4});
  CHECK_SAME(bounds(sinks, 100), TierBounds{36, 4});
  CHECK_SAME(bounds(sinks, 132), TierBounds{68, 4});
  CHECK_SAME(bounds(sinks, 164), TierBounds{100, 36});
}

TEST_CASE("tiers: bounds are those of moving step after step") {
  oracle::Rng rng(71);
  for (int trial = 0; trial < 300; ++trial) {
    CASE(trial);
    const TierSizes sizes = random_sizes(rng);
    Walk walk(sizes);
    TierPlan plan(sizes);
    CHECK_SAME(plan.bounds(), TierBounds{sizes.sink, sizes.sink});
    for (std::size_t tokens = 0; tokens < 500; ++tokens) {
      CASE(tokens);
      walk.advance(tokens);
      const TierBounds bounds = tier_bounds_ref(sizes, tokens);
      REQUIRE_SAME(bounds, walk.bounds());
      REQUIRE_SAME(plan.advance(tokens), bounds);
      REQUIRE(plan.tokens() == tokens);
      if (tokens < sizes.sink + sizes.hot) continue;
      REQUIRE(tokens - bounds.warm_end >= sizes.hot);
      REQUIRE(tokens - bounds.warm_end < sizes.hot + sizes.step);
      if (sizes.warm == 0) REQUIRE(bounds.archive_end == bounds.warm_end);
    }
  }
}

TEST_CASE("tiers: with other sizes and flushes during a sequence neither bound moves back") {
  oracle::Rng rng(72);
  for (int trial = 0; trial < 300; ++trial) {
    CASE(trial);
    TierSizes sizes = random_sizes(rng);
    Walk walk(sizes);
    TierPlan plan(sizes);
    // Every bound that the formulas have given so far.
    TierBounds most{sizes.sink, sizes.sink};
    for (std::size_t tokens = 0; tokens < 600; ++tokens) {
      CASE(tokens);
      plan.advance(tokens);
      walk.advance(tokens);
      const TierBounds now = tier_bounds_ref(sizes, tokens);
      most = {std::max(most.warm_end, now.warm_end), std::max(most.archive_end, now.archive_end)};
      REQUIRE_SAME(plan.bounds(), most);
      REQUIRE_SAME(plan.bounds(), walk.bounds());
      REQUIRE(most.archive_end <= most.warm_end);
      if (oracle::uniform(rng, 0, 20) == 0) {
        const TierSizes other = random_sizes(rng);
        sizes.hot = walk.sizes.hot = other.hot;
        sizes.warm = walk.sizes.warm = other.warm;
        plan.resize(sizes);
        REQUIRE_SAME(plan.bounds(), most);  // from the next token on
      }
      if (oracle::uniform(rng, 0, 100) == 0) {
        plan.flush();
        while (walk.warm_end + sizes.step <= tokens) walk.warm_end += sizes.step;
        most.warm_end = walk.warm_end;
        REQUIRE_SAME(plan.bounds(), walk.bounds());
      }
    }
  }
}

TEST_CASE("tiers: decoding of KIVI's authors is a special case") {
  // They score a token with what is quantized so far, and quantize after it: keys when `residual`
  // of them have gathered, values one by one as soon as there are more.
  for (const std::size_t residual : {8, 32, 128}) {
    CASE(residual);
    const TierSizes keys{1, 0, residual, 0}, values{residual + 1, 0, 1, 0};
    std::size_t quantized_keys = 0, quantized_values = 0;
    for (std::size_t tokens = 1; tokens < 600; ++tokens) {
      CASE(tokens);
      REQUIRE_SAME(tier_bounds_ref(keys, tokens), TierBounds{quantized_keys, quantized_keys});
      REQUIRE_SAME(tier_bounds_ref(values, tokens), TierBounds{quantized_values, quantized_values});
      if (tokens - quantized_keys == residual) quantized_keys = tokens;
      if (tokens - quantized_values > residual) ++quantized_values;
    }
  }
}

TEST_CASE("tiers: sizes that are rejected") {
  const auto reject = [](const TierSizes& sizes, const char* what) {
    CHECK_THROWS_WITH_AS(TierPlan{sizes}, doctest::Contains(what), std::invalid_argument);
  };
  const std::size_t end = std::size_t{1} << 30;
  reject({0, 0, 1, 0}, "hot is 0 tokens; 1 to");
  reject({1, 0, 0, 0}, "step is 0 tokens; 1 to");
  reject({end, 0, 1, 0}, "hot is 1073741824");
  reject({1, end, 1, 0}, "warm is 1073741824");
  reject({1, 0, end, 0}, "step is 1073741824");
  reject({1, 0, 1, end}, "sink is 1073741824");
  CHECK_NOTHROW(TierPlan({end - 1, end - 1, end - 1, end - 1}));
  TierPlan plan({4, 4, 2, 1});
  plan.advance(9);
  CHECK_THROWS_AS(plan.advance(8), std::invalid_argument);
  CHECK_THROWS_AS(plan.resize({4, 4, 4, 1}), std::invalid_argument);
  CHECK_THROWS_AS(plan.resize({4, 4, 2, 0}), std::invalid_argument);
  CHECK_THROWS_AS(plan.resize({0, 4, 2, 1}), std::invalid_argument);
}

TEST_CASE("tiers: the archive that a sequence's length chooses, and the codes of stores") {
  const TierStore kivi{TierFormat::kivi, 2}, squat{TierFormat::squat, 2};
  const TierStore kvquant{TierFormat::kvquant, 3};
  CHECK_SAME(automatic_archive_ref(1), kivi);
  CHECK_SAME(automatic_archive_ref(2047), kivi);
  CHECK_SAME(automatic_archive_ref(2048), squat);
  CHECK_SAME(automatic_archive_ref(8191), squat);
  CHECK_SAME(automatic_archive_ref(8192), kvquant);
  CHECK_SAME(automatic_archive_ref(1000000), kvquant);
  CHECK(kivi.code() == 2);
  CHECK(TierStore{TierFormat::kivi_nested, 2}.code() == 18);
  CHECK(squat.code() == 34);
  CHECK(kvquant.code() == 51);
  CHECK(TierStore{TierFormat::axelram, 4}.code() == 68);
  CHECK(value_named<TierFormat>("kvquant") == TierFormat::kvquant);
  CHECK(!value_named<TierFormat>("kivi_nested"));
}

TEST_CASE("tiers: bytes of a token in each store") {
  struct Line {
    TierFormat format;
    int bits;
    std::size_t group, key, value;
  };
  using F = TierFormat;
  for (const Line& line :
       {Line{F::kivi, 4, 32, 80, 80}, Line{F::kivi, 3, 32, 64, 64}, Line{F::kivi, 2, 32, 48, 48},
        Line{F::kivi_nested, 2, 32, 48, 48}, Line{F::squat, 4, 32, 80, 80},
        Line{F::squat, 3, 32, 64, 64}, Line{F::squat, 2, 32, 48, 48}, Line{F::kivi, 2, 64, 40, 40},
        Line{F::kivi, 2, 128, 36, 36}, Line{F::kvquant, 4, 32, 70, 74},
        Line{F::kvquant, 3, 32, 54, 58}, Line{F::kvquant, 2, 32, 38, 42},
        Line{F::axelram, 4, 32, 66, 66}, Line{F::axelram, 3, 32, 50, 50},
        Line{F::axelram, 2, 32, 34, 34}}) {
    CASE(line.format, line.bits, line.group);
    const TierShape shape{128, line.group, line.group, 2};
    const TierStore store{line.format, line.bits};
    CHECK(block_bytes_ref(TierPart::keys, store, shape).total() == line.group * line.key);
    CHECK(block_bytes_ref(TierPart::values, store, shape).total() == line.value);
  }
}

TEST_CASE("tiers: bytes of blocks are those of their layouts") {
  for (const std::size_t d : {32, 64, 128, 256})
    for (const int bits : {2, 3, 4})
      for (const std::size_t group : {8, 16, 32, 64, 128, 256}) {
        CASE(d, bits, group);
        const TierShape shape{d, group, std::min(group, d), 4};
        const auto bytes = [&](TierPart part, TierFormat format) {
          return block_bytes_ref(part, {format, bits}, shape);
        };
        const KiviLayout block = kivi_key_layout(bits, d, group);
        const KiviLayout row = kivi_value_layout(bits, d, shape.value_group);
        for (const TierFormat format :
             {TierFormat::kivi, TierFormat::kivi_nested, TierFormat::squat}) {
          CASE(format);
          const TierBytes key = bytes(TierPart::keys, format);
          CHECK(key.total() == block.bytes());
          CHECK(key.codes == block.code_bytes());
          CHECK(key.scales == 2 * d);
          CHECK(key.minima == 2 * d);
          const TierBytes value = bytes(TierPart::values, format);
          CHECK(value.total() == row.bytes());
          CHECK(value.codes == row.code_bytes());
          CHECK(value.scales == value.minima);
        }
        const auto record = static_cast<std::size_t>(record_bytes(static_cast<int>(d), bits));
        CHECK(bytes(TierPart::keys, TierFormat::axelram).total() == group * record);
        CHECK(bytes(TierPart::values, TierFormat::axelram).total() == record);
        CHECK(bytes(TierPart::values, TierFormat::axelram).scales == 2);
        const std::size_t indices = d * static_cast<std::size_t>(bits) / 8;
        CHECK(bytes(TierPart::keys, TierFormat::kvquant).total() == group * (indices + 12));
        CHECK(bytes(TierPart::values, TierFormat::kvquant).total() == indices + 12 + 4);
        CHECK(bytes(TierPart::values, TierFormat::kvquant).outliers == 12);
      }
}

TEST_CASE("tiers: bytes of ADR-004's example") {
  const std::size_t heads = std::size_t{80} * 64 * 8, tokens = 32768;
  const TierShape shape;
  StoreBytes sum;
  for (const TierPart part : {TierPart::keys, TierPart::values}) {
    const StoreBytes bytes = store_bytes_ref(part, shape, 0, tier_bounds_ref({}, tokens), tokens,
                                             {TierFormat::kivi, 4}, {TierFormat::kivi_nested, 2});
    sum.fp16 += bytes.fp16 * heads;
    sum.warm += bytes.warm * heads;
    sum.archive += bytes.archive * heads;
  }
  CHECK(sum.fp16.total() == 1342177280);
  CHECK(sum.fp16.rows == 1342177280);
  CHECK(sum.warm.total() == 2936012800);
  CHECK(sum.archive.total() == 126835752960);
  TierBytes all = sum.fp16;
  all += sum.warm;
  all += sum.archive;
  CHECK(all.total() == 131113943040);
  const double fp16 = 687194767360;
  CHECK(fp16 == 512.0 * static_cast<double>(heads * tokens));
  CHECK(fp16 / static_cast<double>(all.total()) == doctest::Approx(5.241).epsilon(1e-4));
  CHECK(all.scales == all.minima);
  CHECK(all.outliers == 0);
  CHECK(fp16 / static_cast<double>(all.rows + all.codes) == doctest::Approx(7.787).epsilon(1e-4));
}

TEST_CASE("tiers: bytes are those of every token counted by itself") {
  oracle::Rng rng(73);
  for (int trial = 0; trial < 200; ++trial) {
    CASE(trial);
    TierSizes sizes = random_sizes(rng);
    const TierShape shape{64, std::size_t{8} << oracle::uniform(rng, 0, 2), 16, 2};
    sizes.step *= shape.group;
    const auto tokens = static_cast<std::size_t>(oracle::uniform(rng, 0, 3000));
    const TierStore warm{kFormats[oracle::uniform(rng, 0, 4)], oracle::uniform(rng, 2, 4)};
    const TierStore archive{kFormats[oracle::uniform(rng, 0, 4)], oracle::uniform(rng, 2, 4)};
    const TierBounds bounds = tier_bounds_ref(sizes, tokens);
    for (const TierPart part : {TierPart::keys, TierPart::values}) {
      CASE(part);
      const StoreBytes bytes =
          store_bytes_ref(part, shape, sizes.sink, bounds, tokens, warm, archive);
      std::size_t fp16 = 0, warm_blocks = 0, archive_blocks = 0;
      const std::size_t block = part == TierPart::keys ? shape.group : 1;
      for (std::size_t token = 0; token < tokens; ++token) {
        const bool first = token >= sizes.sink && (token - sizes.sink) % block == 0;
        if (token < sizes.sink || token >= bounds.warm_end)
          fp16 += 2 * shape.d;
        else if (token >= bounds.archive_end)
          warm_blocks += first ? 1 : 0;
        else
          archive_blocks += first ? 1 : 0;
      }
      REQUIRE(bytes.fp16.rows == fp16);
      REQUIRE(bytes.fp16.total() == fp16);
      REQUIRE(bytes.warm.total() == warm_blocks * block_bytes_ref(part, warm, shape).total());
      REQUIRE(bytes.archive.total() ==
              archive_blocks * block_bytes_ref(part, archive, shape).total());
      REQUIRE(bytes.warm.rows + bytes.archive.rows == 0);
      TierBytes sum = bytes.fp16;
      sum += bytes.warm;
      sum += bytes.archive;
      REQUIRE(sum.total() == bytes.fp16.total() + bytes.warm.total() + bytes.archive.total());
    }
  }
}
