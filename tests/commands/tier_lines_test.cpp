#include "tiers/tier_lines.hpp"

#include <map>
#include <set>
#include <string>

#include "check.hpp"

// Bytes of tiers beside ADR-004's figures (references.md#adr-004).

using namespace axelram;
using namespace axelram::commands::tiers;

namespace {

using Lines = std::map<std::string, report::Line>;

Lines lines_of(const TieredCache& cache, const CachedModel& model) {
  Lines lines;
  for (const report::Line& line : tier_lines(cache, model)) lines[line.name] = line;
  return lines;
}

CachedModel model_of(std::uint64_t layers, std::uint64_t query_heads, std::uint64_t kv_heads,
                     std::uint64_t batch, std::uint64_t context, std::uint64_t head_dim = 128) {
  CachedModel model;
  model.shape = {layers, kv_heads, query_heads, context};
  model.head_dim = head_dim;
  model.batch = batch;
  return model;
}

TieredCache cache_of(const TierStore& archive, std::size_t hot = 64, std::size_t warm = 448) {
  TieredCache cache;
  cache.keys.sizes.hot = hot;
  cache.keys.sizes.warm = warm;
  cache.keys.archive = archive;
  cache.values = cache.keys;
  return cache;
}

std::uint64_t whole(const report::Line& line) { return std::get<std::uint64_t>(line.value); }
double real(const report::Line& line) { return std::get<double>(line.value); }

constexpr TierStore kKivi2{TierFormat::kivi, 2}, kKivi4{TierFormat::kivi, 4},
    kSquat2{TierFormat::squat, 2}, kKvquant3{TierFormat::kvquant, 3};
const CachedModel kExample = model_of(80, 64, 64, 8, 32768);

}  // namespace

TEST_CASE("ADR-004's Example 1: 131 GB, 5.24 times, where it has 174 GB and 3.95") {
  Lines lines = lines_of(cache_of(kKivi2), kExample);
  CHECK(whole(lines["fp16_cache_bytes"]) == 687194767360);
  CHECK(lines["fp16_cache_bytes"].paper == 687e9);
  CHECK(whole(lines["fp16_tier_bytes"]) == 1342177280);
  CHECK(lines["fp16_tier_bytes"].paper == 1.34e9);
  CHECK(whole(lines["warm_tier_bytes"]) == 2936012800);
  CHECK(lines["warm_tier_bytes"].paper == 4.69e9);
  CHECK(whole(lines["archive_tier_bytes"]) == 126835752960);
  CHECK(lines["archive_tier_bytes"].paper == 168e9);
  CHECK(whole(lines["cache_bytes"]) == 131113943040);
  CHECK(lines["cache_bytes"].paper == 174e9);
  CHECK(real(lines["compression"]) == doctest::Approx(5.241).epsilon(1e-4));
  CHECK(lines["compression"].paper == 3.95);
  // Codes alone are half of what it has for warm and archive: it counts keys and values twice.
  const std::uint64_t warm = whole(lines["warm_key_codes"]) + whole(lines["warm_value_codes"]);
  const std::uint64_t archive =
      whole(lines["archive_key_codes"]) + whole(lines["archive_value_codes"]);
  CHECK(2.0 * static_cast<double>(warm) == doctest::Approx(4.69e9).epsilon(0.01));
  CHECK(2.0 * static_cast<double>(archive) == doctest::Approx(168e9).epsilon(0.01));
  CHECK(1342177280 + warm + archive == 88248156160);
  CHECK(687194767360.0 / static_cast<double>(1342177280 + warm + archive) ==
        doctest::Approx(7.787).epsilon(1e-4));
  CHECK(lines["key_archive_tokens"].note == "kivi2, nested");
}

TEST_CASE("ADR-004's Example 1 with SQuat: the bytes of KIVI, where it has 2.5 times less") {
  Lines lines = lines_of(cache_of(kSquat2), kExample), kivi = lines_of(cache_of(kKivi2), kExample);
  CHECK(whole(lines["archive_tier_bytes"]) == whole(kivi["archive_tier_bytes"]));
  CHECK(lines["archive_tier_bytes"].paper == 67e9);
  CHECK(whole(lines["cache_bytes"]) == 131113943040);
  CHECK(lines["cache_bytes"].paper == 73e9);
  CHECK(lines["compression"].paper == 9.4);
  CHECK(whole(lines["constants_bytes"]) == 2 * 5120 * 64 * 64 + 4 * 5120);
  CHECK(real(lines["archive_compression"]) == doctest::Approx(5.333).epsilon(1e-3));
  CHECK(lines["archive_compression"].paper == 15);
}

TEST_CASE("ADR-004's memory table, by its formula and with the KV heads that models have") {
  struct Row {
    CachedModel model;
    double printed;
    std::uint64_t formula, fp16;
  };
  const Row rows[] = {{model_of(32, 32, 32, 1, 2048), 256e6, 1073741824, 1073741824},
                      {model_of(32, 32, 8, 1, 2048), 256e6, 1073741824, 268435456},
                      {model_of(80, 64, 8, 1, 2048), 2.6e9, 5368709120, 671088640},
                      {model_of(80, 64, 8, 32, 2048), 83e9, 171798691840, 21474836480},
                      {model_of(80, 64, 8, 1, 131072), 166e9, 343597383680, 42949672960},
                      {model_of(118, 48, 1, 512, 2048, 256), 3e12, 6081673691136, 126701535232},
                      {model_of(118, 48, 48, 512, 2048), 3e12, 3040836845568, 3040836845568}};
  for (const Row& row : rows) {
    CASE(row.printed);
    Lines lines = lines_of(cache_of(kKivi2), row.model);
    CHECK(whole(lines["formula_bytes"]) == row.formula);
    CHECK(lines["formula_bytes"].paper == row.printed);
    CHECK(whole(lines["fp16_cache_bytes"]) == row.fp16);
    CHECK(lines["fp16_cache_bytes"].paper == row.printed);
  }
  Lines other = lines_of(cache_of(kKivi2), model_of(80, 64, 8, 2, 2048));
  for (const auto& [name, line] : other) {
    CASE(name);
    if (name != "archive_compression") CHECK(!line.paper);
  }
}

TEST_CASE("ADR-004's appendix B: 8 times is the most that 2 bits can, a tail lowers it") {
  const CachedModel model = model_of(32, 32, 32, 1, 4096);
  const auto compression = [&](const TierStore& archive, std::size_t hot, std::size_t warm) {
    const report::Line line = lines_of(cache_of(archive, hot, warm), model)["compression"];
    return std::pair(real(line), line.paper.value_or(0));
  };
  const auto near = [](double value) { return doctest::Approx(value).epsilon(0.001); };
  const auto four = compression(kKivi4, 1, 0), two = compression(kKivi2, 1, 0),
             tail = compression(kKivi2, 64, 0), squat = compression(kSquat2, 1, 0),
             tiers = compression(kSquat2, 64, 448);
  CHECK(four.first == near(3.147));
  CHECK(four.second == 4);
  CHECK(two.first == near(5.156));
  CHECK(two.second == 8);
  CHECK(tail.first == near(4.995));
  CHECK(tail.second == 12);
  CHECK(squat.first == two.first);
  CHECK(squat.second == 16);
  CHECK(tiers.first == near(4.676));
  CHECK(tiers.second == 22);
  for (const auto& line : {four, two, tail, squat, tiers}) CHECK_AT(line, line.first < 8);
  CHECK(16.0 / 22 == near(0.7273));  // bits a value
}

TEST_CASE("ADR-004's archives: 3 bits of KVQuant take more than 2 of KIVI, so that auto grows") {
  const auto archive = [](const TierStore& store) {
    return lines_of(cache_of(store), model_of(32, 32, 8, 1, 16384));
  };
  Lines kivi = archive(kKivi2), kvquant = archive(kKvquant3);
  CHECK(real(kivi["archive_token_bytes"]) == 96);
  CHECK(real(kvquant["archive_token_bytes"]) == 112);
  CHECK(real(kvquant["archive_compression"]) == doctest::Approx(4.571).epsilon(1e-3));
  CHECK(kvquant["archive_compression"].paper == 5.3);
  CHECK(kivi["archive_compression"].paper == 7);
  TieredCache automatic = cache_of(kKivi2);
  automatic.keys.archive.reset();
  automatic.values.archive.reset();
  const auto bytes = [&](std::uint64_t context) {
    Lines lines = lines_of(automatic, model_of(32, 32, 8, 1, context));
    return real(lines["archive_token_bytes"]);
  };
  CHECK(bytes(2047) == 96);
  CHECK(bytes(8191) == 96);
  CHECK(bytes(8192) == 112);
}

TEST_CASE("ADR-004's 3 TB become 731 GB in tiers") {
  Lines lines = lines_of(cache_of(kKivi2), model_of(118, 48, 48, 512, 2048));
  CHECK(whole(lines["cache_bytes"]) == 730513539072);
  CHECK(real(lines["compression"]) == doctest::Approx(4.163).epsilon(1e-3));
  CHECK(whole(lines["key_hot_tokens"]) + whole(lines["key_warm_tokens"]) == 512);
}

TEST_CASE("contexts of 100,000 tokens: 10 GB where FP16 takes 52") {
  Lines lines = lines_of(cache_of(kKivi2), model_of(32, 32, 32, 1, 100000));
  CHECK(whole(lines["fp16_cache_bytes"]) == 52428800000);
  CHECK(static_cast<double>(whole(lines["cache_bytes"])) == doctest::Approx(9.9e9).epsilon(0.01));
}

TEST_CASE("the picture of tiers: 134,144 bytes of 358,400") {
  TieredCache cache = cache_of(kKivi2);
  cache.keys.sizes.sink = cache.values.sizes.sink = 4;
  Lines lines = lines_of(cache, model_of(1, 1, 1, 1, 700));
  for (const std::string part : {"key", "value"}) {
    CASE(part);
    CHECK(whole(lines[part + "_sink_tokens"]) == 4);
    CHECK(whole(lines[part + "_archive_tokens"]) == 5 * 32);
    CHECK(whole(lines[part + "_warm_tokens"]) == 14 * 32);
    CHECK(whole(lines[part + "_hot_tokens"]) == 88);
  }
  CHECK(whole(lines["fp16_tier_bytes"]) == 2048 + 45056);
  CHECK(whole(lines["warm_tier_bytes"]) == 71680);
  CHECK(whole(lines["archive_tier_bytes"]) == 15360);
  CHECK(whole(lines["cache_bytes"]) == 134144);
  CHECK(whole(lines["fp16_cache_bytes"]) == 358400);
}

TEST_CASE("lines of tiers agree with each other") {
  TieredCache cache = cache_of(kKvquant3);
  cache.values.archive = TierStore{TierFormat::axelram, 3};
  cache.keys.sizes.sink = 4;
  const CachedModel model = model_of(3, 4, 2, 5, 5000, 64);
  Lines lines = lines_of(cache, model);
  std::uint64_t kinds = 0;
  for (const auto& [name, line] : lines) {
    CASE(name);
    CHECK(line.method == report::Method::counted);
    CHECK(!line.note.empty());
    if (line.section == "bytes by tier and kind, of all sequences") kinds += whole(line);
  }
  const std::uint64_t bytes = whole(lines["cache_bytes"]);
  CHECK(kinds == bytes);
  CHECK(whole(lines["fp16_tier_bytes"]) + whole(lines["warm_tier_bytes"]) +
            whole(lines["archive_tier_bytes"]) ==
        bytes);
  CHECK(whole(lines["sequence_bytes"]) * 5 == bytes);
  CHECK(whole(lines["sequence_fp16_bytes"]) == 4 * 64 * 6 * 5000);
  CHECK(whole(lines["fp16_bytes_per_token"]) == 4 * 64 * 6);
  CHECK(real(lines["bytes_per_token"]) * 25000 == doctest::Approx(static_cast<double>(bytes)));
  CHECK(real(lines["bits_per_value"]) * real(lines["compression"]) == doctest::Approx(16));
  CHECK(whole(lines["key_sink_tokens"]) == 4);
  CHECK(whole(lines["value_sink_tokens"]) == 0);
  for (const char* part : {"key", "value"}) {
    CASE(part);
    std::uint64_t tokens = 0;
    for (const char* tier : {"_sink_tokens", "_archive_tokens", "_warm_tokens", "_hot_tokens"})
      tokens += whole(lines[std::string(part) + tier]);
    CHECK(tokens == 5000);
  }
  std::set<std::string> names;
  for (const report::Line& line : tier_lines(cache, model))
    CHECK_AT(line.name, names.insert(line.name).second);
}

TEST_CASE("a cache without archive, warm tier or coded tokens") {
  const CachedModel model = model_of(2, 2, 2, 1, 40, 32);
  Lines lines = lines_of(cache_of(kKivi2), model);
  CHECK(whole(lines["cache_bytes"]) == whole(lines["fp16_cache_bytes"]));
  CHECK(real(lines["compression"]) == 1);
  CHECK(lines["key_archive_tokens"].note == "none");
  CHECK(lines.count("warm_token_bytes") == 1);
  lines = lines_of(cache_of(kKivi2, 1, 0), model);
  CHECK(lines.count("warm_token_bytes") == 0);
  CHECK(whole(lines["key_archive_tokens"]) == 32);
  CHECK(lines["key_archive_tokens"].note == "kivi2");
}
