#include "tiers/tier_counts.hpp"

#include <map>
#include <random>

#include "axelram/caches/tiered_bytes.hpp"
#include "check.hpp"
#include "tiers/constants.hpp"

// Counts of tiers, beside a cache to which tokens are added one by one.

using namespace axelram;
using namespace axelram::commands::tiers;
using caches::TierSettings;

namespace {

/// Tokens of an archive by the code of their store, each step with the store of the n at which it
/// moves.
std::map<int, std::size_t> moved(TierPart part, const TierSettings& settings, std::size_t tokens) {
  std::map<int, std::size_t> by_store;
  std::size_t before = settings.sizes.sink;
  for (std::size_t n = 0; n <= tokens; ++n) {
    const std::size_t now = tier_bounds_ref(settings.sizes, n).archive_end;
    if (now > before) by_store[caches::archive_store(part, settings, n).code()] += now - before;
    before = now;
  }
  return by_store;
}

std::map<int, std::size_t> counted(const PartCount& count) {
  std::map<int, std::size_t> by_store;
  for (const caches::ArchivePiece& piece : count.pieces)
    by_store[piece.store.code()] += piece.tokens;
  return by_store;
}

void check_counts(const TierSettings& settings, std::size_t tokens) {
  CASE(tokens);
  for (const TierPart part : {TierPart::keys, TierPart::values}) {
    CASE(part);
    const TierShape shape{64, settings.group, settings.value_group, 2};
    const PartCount count = count_part(part, settings, shape, tokens);
    REQUIRE(count.sink + count.archive + count.warm + count.hot == tokens);
    REQUIRE_SAME(counted(count), moved(part, settings, tokens));
    REQUIRE(count.bytes.fp16.total() == 128 * (count.sink + count.hot));
    std::size_t archive = 0;
    const std::size_t block = part == TierPart::keys ? settings.group : 1;
    for (const caches::ArchivePiece& piece : count.pieces)
      archive += block_bytes_ref(part, piece.store, shape).total() * piece.tokens / block;
    REQUIRE(count.bytes.archive.total() == archive);
    REQUIRE(count.bytes.warm.total() ==
            block_bytes_ref(part, settings.warm, shape).total() * count.warm / block);
    REQUIRE(count.total() == count.bytes.fp16.total() + count.bytes.warm.total() + archive);
  }
}

}  // namespace

TEST_CASE("tiers of a report are those of tokens that were added one by one") {
  std::mt19937 random(5);
  const auto draw = [&](int least, int most) {
    return static_cast<std::size_t>(std::uniform_int_distribution<int>(least, most)(random));
  };
  for (int trial = 0; trial < 40; ++trial) {
    CASE(trial);
    TierSettings settings;
    settings.group = 8;
    settings.sizes = {draw(1, 100), draw(0, 100) * draw(0, 5), 8 * draw(1, 6), draw(0, 9)};
    if (trial % 2 == 0) settings.archive.reset();
    for (const std::size_t tokens :
         {draw(0, 20), draw(0, 700), draw(1900, 2300), draw(8000, 9000)}) {
      CASE(tokens);
      check_counts(settings, tokens);
    }
  }
  TierSettings settings;
  settings.archive.reset();
  for (const std::size_t tokens : {0, 1, 543, 544, 2047, 2048, 8191, 8192, 8223, 8224}) {
    CASE(tokens);
    check_counts(settings, tokens);
  }
}

TEST_CASE("the archive auto: 2 bits of KIVI, then of SQuat, then 3 of KVQuant") {
  TierSettings settings;
  settings.archive.reset();
  const TierShape shape{64, 32, 32, 2};
  const PartCount keys = count_part(TierPart::keys, settings, shape, 10000);
  REQUIRE(keys.pieces.size() == 3);
  // Step k moves at n = 512 + 32 k: 47 steps below 2048, 239 below 8192.
  CHECK(keys.pieces[0].tokens == 47 * 32);
  CHECK(keys.pieces[0].store.code() == 2 + 16 * 1);
  CHECK(keys.pieces[1].tokens == (239 - 47) * 32);
  CHECK(keys.pieces[1].store.code() == 2 + 16 * 2);
  CHECK(keys.pieces[2].tokens == (296 - 239) * 32);
  CHECK(keys.pieces[2].store.code() == 3 + 16 * 3);
  const PartCount values = count_part(TierPart::values, settings, shape, 10000);
  REQUIRE(values.pieces.size() == 3);
  CHECK(values.pieces[1].store.code() == 2);  // SQuat's values are KIVI's, not nested
}

TEST_CASE("2 bits of KIVI are nested behind 4 of KIVI alone") {
  TierSettings settings;
  const auto code = [&](TierPart part) { return caches::archive_store(part, settings, 1).code(); };
  CHECK(code(TierPart::keys) == 2 + 16);
  settings.warm = {TierFormat::kivi, 3};
  CHECK(code(TierPart::keys) == 2);
  settings.warm = {TierFormat::axelram, 4};
  CHECK(code(TierPart::keys) == 2);
  settings = {};
  settings.sizes.warm = 0;
  CHECK(code(TierPart::keys) == 2);
  settings = {};
  settings.archive = TierStore{TierFormat::squat, 2};
  CHECK(code(TierPart::keys) == 2 + 32);
  CHECK(code(TierPart::values) == 2);  // not nested
  settings.archive = TierStore{TierFormat::kivi, 4};
  CHECK(code(TierPart::keys) == 4);
}

TEST_CASE("constants have the sizes of the tensors of a calibration") {
  CachedModel model;
  model.shape = {30, 3, 9, 4096};
  model.head_dim = 128;
  model.batch = 2;
  TieredCache cache;
  const auto bytes = [&] {
    std::map<std::string, std::uint64_t> all;
    for (const Constant& constant : constants_of(cache, model)) all[constant.name] = constant.bytes;
    return all;
  };
  using Bytes = std::map<std::string, std::uint64_t>;
  CHECK(bytes().empty());

  cache.keys.archive = cache.values.archive = TierStore{TierFormat::squat, 2};
  CHECK_SAME(bytes(), Bytes{{"squat_matrices", 2 * 90 * 64 * 64}, {"squat_exponents", 4 * 90}});
  cache.squat_channels = 32;  // M'_1 to M'_3: 96, 64 and 32 rows
  CHECK_SAME(bytes(), Bytes{{"squat_matrices", 2 * 90 * 32 * (96 + 64 + 32)},
                            {"squat_exponents", 4 * 90 * 3}});
  cache.keys.archive = TierStore{TierFormat::kivi, 2};
  CHECK(bytes().empty());  // SQuat's values are KIVI's

  const Bytes ranges = {{"key_middles", 2 * 90 * 128}, {"key_radii", 2 * 90 * 128}};
  cache.keys.archive = cache.values.archive = TierStore{TierFormat::kvquant, 3};
  Bytes nuq = ranges;
  nuq["key_codebook3"] = nuq["value_codebook3"] = 2 * 30 * 8;
  CHECK_SAME(bytes(), nuq);
  cache.keys.qnorm = true;
  nuq["key_levels3"] = 2 * 30 * 8;
  CHECK_SAME(bytes(), nuq);

  cache = {};
  cache.keys.archive.reset();
  Bytes automatic = ranges;
  automatic["key_codebook3"] = 2 * 30 * 8;
  automatic["squat_matrices"] = 2 * 90 * 64 * 64;
  automatic["squat_exponents"] = 4 * 90;
  CHECK_SAME(bytes(), automatic);

  cache = {};
  cache.keys.warm = {TierFormat::axelram, 4};
  cache.keys.archive = TierStore{TierFormat::axelram, 3};
  const Bytes records = {{"axelram_signs", 90 * 16},
                         {"axelram_codebook3", 26},   // 25.5
                         {"axelram_codebook4", 54}};  // 53.5
  CHECK_SAME(bytes(), records);
  cache.key_macro.centered = true;
  CHECK(bytes()["axelram_center"] == 2 * 90 * 128);
  cache.values = cache.keys;
  CHECK(bytes()["axelram_signs"] == 90 * 16);
  cache.values.seed = 7;
  cache.value_macro.centroid_bits = 6;
  CHECK(bytes()["axelram_key_signs"] == 90 * 16);
  CHECK(bytes()["axelram_value_signs"] == 90 * 16);
  CHECK(bytes()["axelram_key_codebook4"] == 54);
  CHECK(bytes()["axelram_value_codebook4"] == 50);  // 49.5
  cache.values = {};
  cache.keys.sizes.warm = 0;
  CHECK(bytes().count("axelram_codebook4") == 0);
}
