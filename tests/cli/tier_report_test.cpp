#include <map>
#include <set>
#include <vector>

#include "axelram/files/tier_constants.hpp"
#include "program.hpp"

namespace {

using namespace test;

const std::string kExample =
    "layers: 80\nquery_heads: 64\nkv_heads: 64\nhead_dim: 128\nbatch: 8\ncontext: 32768\n";

/// Runs `report --tiers SPEC --shape model.yaml` and returns its lines by name.
std::map<std::string, Json> report(const TempDir& axelram, const std::string& cache) {
  REQUIRE(axelram("report --tiers '" + cache + "' --shape model.yaml --json report.json --force"));
  std::map<std::string, Json> lines = axelram.figures("report.json");
  return lines;
}

}  // namespace

TEST_CASE("a report of tiers: ADR-004's Example 1 as text and JSON") {
  const TempDir axelram;
  axelram.put("model.yaml", kExample);
  const ProcessResult finished =
      axelram("report --tiers tiered:hot=64,warm=448 --shape model.yaml --json report.json");
  REQUIRE(finished);
  CHECK(finished.err.empty());
  CHECK(contains(finished.out,
                 "cache  tiered\nmodel  80 layers, 64 query heads, 64 KV heads of 128, "
                 "8 sequences of 32768 tokens\n"));
  CHECK(contains(finished.out, "131113943040  bytes"));
  CHECK(contains(finished.out, "  compression "));
  std::set<std::string> names;
  std::map<std::string, Json> lines;
  for (const Json& line : axelram.json("report.json")) {
    CASE(line.dump());
    std::vector<std::string> keys;
    for (const auto& [key, value] : line.items()) keys.push_back(key);
    CHECK_SAME(keys, std::vector<std::string>{"name", "value", "unit", "method", "paper", "note"});
    CHECK(names.insert(line["name"].get<std::string>()).second);
    CHECK(line["method"] == "counted");
    CHECK(line["value"].is_number());
    lines[line["name"]] = line;
  }
  CHECK(lines["cache_bytes"]["value"] == 131113943040);
  CHECK(lines["cache_bytes"]["paper"] == 174e9);
  CHECK(lines["fp16_cache_bytes"]["value"] == 687194767360);
  CHECK(lines["fp16_cache_bytes"]["paper"] == 687e9);
  CHECK(lines["key_hot_tokens"]["paper"].is_null());
}

TEST_CASE("a report of tiers: keys and values with stores of their own") {
  const TempDir axelram;
  axelram.put(
      "model.yaml",
      "{\"layers\": 30, \"query_heads\": 9, \"kv_heads\": 3, \"head_dim\": 64, \"batch\": 1, "
      "\"context\": 2048}");
  std::map<std::string, Json> lines = report(axelram, "kivi:bits=2,hot=32,step=64,group=64");
  // w = 64 floor(2016 / 64) = 1984; blocks of 64 keys: 1024 + 256 bytes; values: 16 + 8 bytes.
  CHECK(lines["key_archive_tokens"]["value"] == 1984);
  CHECK(lines["archive_key_codes"]["value"] == 90 * 31 * 1024);
  CHECK(lines["archive_key_scales"]["value"] == 90 * 31 * 128);
  CHECK(lines["archive_value_minima"]["value"] == 90 * 1984 * 4);
  CHECK(lines["cache_bytes"]["value"] == 90 * (31 * 1280 + 1984 * 24 + 64 * 256));
  lines = report(axelram, "keys=kivi:bits=2,hot=1,step=32;values=kivi:bits=4,hot=33,step=1");
  CHECK(lines["key_archive_tokens"]["value"] == 2016);
  CHECK(lines["value_archive_tokens"]["value"] == 2015);
  CHECK(lines["value_hot_tokens"]["value"] == 33);
  lines = report(axelram, "tiered:archive_store=kvquant3");
  CHECK(lines["archive_key_outliers"]["value"] == 90 * 1536 * 6);
  CHECK(lines["key_codebook3"]["value"] == 30 * 16);
  lines = report(axelram, "tiered:archive_store=auto,rope=pre");
  CHECK(lines["key_archive_tokens"]["note"] == "1504 kivi2, nested; 32 squat2");
  CHECK(lines.count("squat_matrices") == 1);
  lines = report(axelram, "tiered:warm_store=axelram4,archive_store=axelram2,config=d64-b3");
  CHECK(lines["archive_token_bytes"]["value"] == 36);
  CHECK(lines["axelram_signs"]["value"] == 90 * 8);
}

TEST_CASE("a report of tiers: outliers and runs of channels are those of the calibration") {
  const TempDir axelram;
  axelram.put("model.yaml",
              "layers: 2\nquery_heads: 1\nkv_heads: 1\nhead_dim: 64\nbatch: 1\ncontext: 1024\n");
  axelram::files::TierConstants constants;
  constants.layers = 2;
  constants.heads = 1;
  constants.d = 64;
  constants.outliers = 0.1;
  constants.squat_channels = 32;
  constants.squat_matrices.assign(2 * 32 * 32, 1);
  constants.squat_exponents.assign(2, -14);
  constants.key_middles.assign(128, 0);
  constants.key_radii.assign(128, 0x3c00);
  // Centroids -0.75, -0.25, 0.25, 0.75 of both layers.
  constants.key_codebooks[0] = {0xba00, 0xb400, 0x3400, 0x3a00, 0xba00, 0xb400, 0x3400, 0x3a00};
  constants.value_codebooks[0] = constants.key_codebooks[0];
  axelram::files::write_tier_constants(axelram.at("tiers.safetensors"), constants, {}, false);
  const std::string calibrated = ",calibration=tiers.safetensors";
  std::map<std::string, Json> lines = report(axelram, "tiered:archive_store=kvquant2" + calibrated);
  CHECK(lines["archive_key_outliers"]["value"] == 2 * 512 * 3 * 8);  // 2 ceil(0.1 * 64 / 2)
  lines = report(axelram, "tiered:archive_store=kvquant2");
  CHECK(lines["archive_key_outliers"]["value"] == 2 * 512 * 3 * 2);
  lines = report(axelram, "tiered:archive_store=squat2" + calibrated);
  CHECK(lines["squat_matrices"]["value"] == 2 * constants.squat_matrices.size());
  CHECK(lines["squat_exponents"]["value"] == 4 * constants.squat_exponents.size());
  axelram.put("other.yaml",
              "layers: 3\nquery_heads: 1\nkv_heads: 1\nhead_dim: 64\nbatch: 1\ncontext: 1024\n");
  failed(axelram("report --tiers tiered:archive_store=squat2" + calibrated + " --shape other.yaml"),
         2, "tiers.safetensors");
}

TEST_CASE("a report of tiers: what is rejected") {
  const TempDir axelram;
  axelram.put("model.yaml", kExample);
  axelram.put("window.yaml", kExample + "window: 5\n");
  axelram.put("narrow.yaml",
              "layers: 1\nquery_heads: 1\nkv_heads: 1\nhead_dim: 32\nbatch: 1\ncontext: 9\n");
  const std::string shape = " --shape model.yaml";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"report", "report: CONFIG is required"},
      {"report --tiers tiered", "--tiers requires --shape FILE"},
      {"report small.yaml --tiers tiered" + shape, "--tiers: excludes CONFIG; give --shape FILE"},
      {"report --tiers tiered --netlist" + shape, "--tiers: excludes --netlist"},
      {"report --tiers tiered --period 3" + shape, "--tiers: excludes --period"},
      {"report --tiers tiered --shape ''", "--shape: empty; name a file"},
      {"report --tiers tiered --shape none.yaml", "none.yaml: no such file"},
      {"report --tiers tiered --shape layers=3", "layers=3: no such file"},
      {"report --tiers tiered --shape window.yaml", "window.yaml:7: unknown name 'window'"},
      {"report --tiers fp16" + shape, "'fp16': --tiers counts kivi and tiered; write such as"},
      {"report --tiers 'keys=tiered;values=int4'" + shape, "--tiers counts kivi and tiered"},
      {"report --tiers tiered:hot=0" + shape, "hot is '0'"},
      {"report --tiers tiered:step=48" + shape, "group=32 does not divide step=48"},
      {"report --tiers tiered:value_group=64 --shape narrow.yaml",
       "value_group is 64; a head of the model has 32 channels"},
      {"report --tiers tiered:archive_store=axelram2,config=d64-b3" + shape,
       "macro.head_dim must be the model's, 128, for a tier"},
      {"report --tiers tiered:archive_store=axelram2,config=d128-b3-exact" + shape,
       "the quantizer must be the default one"},
      {"report --tiers tiered:archive_store=squat2,calibration=none.safetensors" + shape,
       "none.safetensors: no such file"},
      {"report --tiers tiered --json model.yaml --force" + shape, "model.yaml"},
  };
  for (const auto& [arguments, part] : cases) {
    CASE(arguments);
    axelram.rejected(arguments, part);
  }
  CHECK_SAME(axelram.content("model.yaml"), kExample);
}
