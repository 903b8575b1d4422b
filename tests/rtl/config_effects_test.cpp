// Each key of a configuration has an effect, or is rejected unless it holds its default.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "axelram/files/config_keys.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/rtl/generator.hpp"
#include "files/support.hpp"

namespace axelram::rtl {
namespace {

using test::contains;

const std::string kSmall = "macro: {head_dim: 32, max_keys: 16}\n";
const std::string kTrellis = kSmall + "quantizer: {kind: trellis}\n";
const std::string kUnbiased = kSmall + "quantizer: {scale: unbiased}\n";
const std::string kExact = kUnbiased + "exact: {first: 1, last: 1}\n";
const std::string kSplit = kUnbiased + "split: {bits: [3, 1], channels: a}\n";
const std::string kNoTable = kSmall + "microarchitecture: {score_lane: multiplier}\n";
const std::string kAttention = kSmall + "attention: {}\n";
const std::string kHamming84 = kSmall + "ecc: {code: hamming84}\n";
const std::string kHamming74 = kSmall + "ecc: {code: hamming74}\n";
const std::string kGolay = kSmall + "ecc: {code: golay24}\n";
const std::string kMacroOfMemory = "macro: {head_dim: 32}\n";
const std::string kMemory =
    kMacroOfMemory + "memory: {window: 4, exact: 3, sinks: 1, summary: 2, evict: lru}\n";
const std::string kWindow = kMacroOfMemory + "memory: {window: 4, exact: 0, summary: 0}\n";
const std::string kSinks = kMacroOfMemory + "memory: {window: 4, exact: 2, sinks: 2, summary: 0}\n";

/// A key, two values, and where it has an effect and where not.
struct Key {
  std::string name, active;  ///< active: ""; another test sees the effect
  std::string a, b;          ///< "": the key is absent
  std::vector<std::string> idle = {};
  std::string absent = "";  ///< the value of an absent key; "" if it has none
};

const std::vector<Key>& keys() {
  static const std::vector<Key> all = {
      {"macro.name", kSmall, "alpha", "gamma"},
      {"macro.head_dim", "macro: {max_keys: 16}\n", "32", "64"},
      {"macro.index_bits", kSmall, "2", "4", {kSplit}, "3"},
      {"macro.max_keys", kSmall, "16", "33"},
      {"macro.element_format", kSmall, "bf16", "fp16"},
      {"numerics.significand_bits", kSmall, "14", "16"},
      {"numerics.boundary_fraction_bits", kSmall, "11", "13"},
      {"numerics.query_bits", kSmall, "9", "8"},
      {"numerics.centroid_bits", kSmall, "7", "8"},
      {"numerics.codebook", kSmall, "beta", "gaussian", {kTrellis}, "gaussian"},
      {"quantizer.kind", kSmall, "trellis", "mse"},
      {"quantizer.scale", kSmall, "unbiased", "norm"},
      {"quantizer.states", kTrellis, "4", "16", {kSmall, kUnbiased}, "8"},
      {"split.bits", kSplit, "[4, 2]", "[2, 1]"},
      {"split.channels", kSplit, "a", "b"},
      {"exact.first", kUnbiased, "2", "1"},
      {"exact.last", kUnbiased, "2", "1"},
      {"exact.bits", kExact, "12", "14", {kSmall, kUnbiased}, "16"},
      {"rotation.seed", kSmall, "1", "42"},
      {"rotation.signs", kSmall, "a", "b"},
      {"rotation.identity", kSmall, "true", ""},
      {"rotation.layer", kSmall, "1", "0"},
      {"rotation.head", kSmall, "1", "0"},
      {"rotation.center", kSmall, "a", ""},
      {"rotation.balance", "", "a", ""},
      {"attention.group", kAttention, "2", "1"},
      {"attention.weight_bits", kAttention, "14", "13"},
      {"attention.scale", kAttention, "0.5", "0.25"},
      {"attention.output", kAttention, "fp32", "fp16"},
      {"attention.output_lanes", kAttention, "4", "8"},
      {"store.segments", kAttention, "2", "3", {kSmall}, "1"},
      {"store.rotations", kAttention, "2", "3", {kSmall}, "1"},
      {"store.rotation_memory", kAttention, "ram", "rom", {kSmall}, "rom"},
      {"microarchitecture.key_lanes", kSmall, "8", "16"},
      {"microarchitecture.read_lanes", kSmall, "8", "16"},
      {"microarchitecture.score_lane", kSmall, "half_table", "table"},
      {"microarchitecture.table_multipliers", kSmall, "4", "2", {kNoTable}, "8"},
      {"microarchitecture.table_storage",
       kSmall,
       "latches",
       "flip_flops",
       {kNoTable},
       "flip_flops"},
      {"microarchitecture.clock_gating", kSmall, "write_path", "none"},
      {"ecc.code", kSmall, "golay24", "none"},
      {"ecc.erasure", kHamming84, "zero", "keep", {kSmall, kHamming74}, "keep"},
      {"ecc.decoder", kGolay, "rom", "algebraic", {kSmall, kHamming84}, "algebraic"},
      {"ecc.stages", kHamming84, "1", "2", {kSmall}, "0"},
      {"ecc.scrub_interval", kHamming84, "7", "9", {kSmall}, "0"},
      {"memory.window", kMemory, "5", "6"},
      {"memory.exact", kMemory, "4", "5"},
      {"memory.summary", kMemory, "3", "1"},
      {"memory.sinks", kMemory, "2", "0"},
      {"memory.novel", kMemory, "0.3", "0.5", {kWindow, kSinks}, "0.7"},
      {"memory.match", kMemory, "0.95", "0.8", {kWindow, kSinks}, "0.9"},
      {"memory.gate_exact", kMemory, "0.5", "0.2", {kWindow, kSinks}, "0.1"},
      {"memory.gate_summary", kMemory, "0.5", "0.2", {kWindow, kSinks}, "0.05"},
      {"memory.blend", kMemory, "0.5", "0.2", {kWindow, kSinks}, "0.047"},
      {"memory.evict", kMemory, "lru", "gate", {kWindow, kSinks}, "gate"},
      {"memory.summary_key", "", "band", "newest", {kWindow, kSinks}, "newest"},
      {"memory.store", "", "fp16", "records"},
      {"sram.model", "", "table", "none"},
      {"sram.file", "", "a", "b", {kSmall}},
      {"sram.node", "", "45", "65", {kSmall}},
      {"sram.liberty", "", "a", "b", {kSmall}},
      {"sram.lef", "", "a", "b", {kSmall}},
      {"sram.folder", "", "a", "b", {kSmall}},
      {"sram.corner", "", "TT", "SS", {kSmall}},
      {"sram.load", "", "5", "7", {kSmall}, "10"},
      {"sram.slew", "", "5", "7", {kSmall}, "20"},
      {"sram.read_when", "", "a", "b", {kSmall}},
      {"sram.write_when", "", "a", "b", {kSmall}},
  };
  return all;
}

files::DocumentNode node_of(const std::string& text) {
  files::DocumentNode node;
  node.line = 7;
  if (text.front() != '[') {
    node.text = text;
    return node;
  }
  node.kind = files::DocumentNode::Kind::list;
  for (const std::size_t at : {std::size_t{1}, std::size_t{4}}) {
    files::DocumentNode element;
    element.line = 7;
    element.text = text.substr(at, 1);
    node.children.push_back(element);
  }
  return node;
}

/// Configurations beside the files `a` and `b`, which have signs, centers and channels.
class Macros {
 public:
  Macros() {
    for (const int other : {0, 1}) {
      std::vector<std::int8_t> signs;
      std::vector<std::uint16_t> center;
      std::vector<std::int32_t> high;
      for (int i = 0; i < 4 * 32; ++i) {
        signs.push_back(i % (other + 2) == 0 ? -1 : 1);
        center.push_back(static_cast<std::uint16_t>(0x3c00 + i + other));
        if (i % 2 == other) high.push_back(i % 32);
      }
      using files::DataType;
      files::write_safetensors(folder_ / (other ? "b" : "a"),
                               {files::view("signs", DataType::i8, {2, 2, 32}, signs),
                                files::view("center", DataType::f16, {2, 2, 32}, center),
                                files::view("high", DataType::i32, {2, 2, 16}, high)},
                               {}, true);
    }
  }

  /// `text` with the key at `value`, or without a change if the value is "".
  files::Config with(const std::string& text, const std::string& key,
                     const std::string& value) const {
    std::vector<files::ConfigOverride> overrides;
    const std::size_t dot = key.find('.');
    if (!value.empty())
      overrides.push_back({key.substr(0, dot), key.substr(dot + 1), node_of(value)});
    return files::parse_config(text, "x.yaml", folder_.path(), overrides);
  }

 private:
  test::TemporaryFolder folder_;
};

/// All that follows from a macro, without the files that list its keys.
std::map<std::string, std::string> made_of(const files::Config& config) {
  std::map<std::string, std::string> made;
  for (const GeneratedFile& file : generate(config))
    if (file.path != "config.yaml" && file.path != "axelram.json" && file.path != "README.md")
      made[file.path] = file.text;
  const MemoryParameters& m = config.bounded_memory.parameters;
  for (const auto number : {m.window, m.exact, m.summary, m.sinks, static_cast<int>(m.novel),
                            static_cast<int>(m.match), m.gate_exact, m.gate_summary, m.blend,
                            static_cast<int>(m.evict), static_cast<int>(m.summary_key)})
    made["memory"] += std::to_string(number) + " ";
  return made;
}

/// Names of what differs, each with a space behind it.
std::string differing(const std::map<std::string, std::string>& a,
                      const std::map<std::string, std::string>& b) {
  std::string names;
  for (const auto& [name, text] : a)
    if (b.count(name) == 0 || b.at(name) != text) names += name + " ";
  for (const auto& [name, text] : b)
    if (a.count(name) == 0) names += name + " ";
  return names;
}

/// The value that canonical text shows of a key, or "".
std::string shown(const files::Config& config, const std::string& key) {
  for (const files::ConfigSetting& setting : files::config_settings(config))
    if (setting.section + "." + setting.key == key) return setting.value;
  return "";
}

}  // namespace

TEST_CASE("effects: every key of a configuration is in the table of this test") {
  std::vector<std::string> here, known, idle, needing;
  for (const Key& key : keys()) {
    here.push_back(key.name);
    if (!key.idle.empty()) idle.push_back(key.name);
  }
  for (const files::ConfigKeyRow& row : files::config_keys()) {
    known.push_back(row.section + "." + row.key);
    // What needs section attention has it by its own presence there.
    if (!row.needs.empty() && row.section != "attention") needing.push_back(known.back());
    CHECK_AT(known.back(), contains(row.help, row.needs.empty() ? "" : "; needs " + row.needs));
  }
  CHECK_SAME(here, known);
  CHECK_SAME(idle, needing);
}

TEST_CASE("effects: two values of a key make two macros") {
  const Macros macros;
  for (const Key& key : keys()) {
    CASE(key.name);
    if (key.active.empty()) continue;
    const auto a = made_of(macros.with(key.active, key.name, key.a));
    const auto b = made_of(macros.with(key.active, key.name, key.b));
    CHECK_FALSE(differing(a, b).empty());
  }
}

TEST_CASE("effects: a key without an effect is rejected, unless it holds its default") {
  const Macros macros;
  for (const Key& key : keys())
    for (const std::string& text : key.idle) {
      CASE(key.name, text);
      const std::string message = test::message([&] { macros.with(text, key.name, key.a); });
      const std::string name = key.name.substr(key.name.find('.') + 1);
      CHECK(contains(message, "x.yaml:7: " + name + " is " + key.a + ", but "));
      CHECK(contains(message, "; "));
      if (key.absent.empty()) continue;
      const auto given = made_of(macros.with(text, key.name, key.absent));
      CHECK(differing(given, made_of(macros.with(text, key.name, ""))).empty());
    }
}

TEST_CASE("effects: no value changes in silence what nothing follows from") {
  const Macros macros;
  for (const std::string& text : {kSmall, kTrellis, kExact, kSplit, kNoTable, kAttention,
                                  kHamming74, kGolay, kMemory, kWindow}) {
    const files::Config before = macros.with(text, "", "");
    const auto made = made_of(before);
    for (const Key& key : keys()) {
      CASE(text, key.name);
      if (key.active.empty()) continue;
      for (const std::string& value : {key.a, key.b}) {
        if (value.empty()) continue;
        files::Config after;
        try {
          after = macros.with(text, key.name, value);
        } catch (const files::InputError&) {
          continue;  // rejected
        }
        if (shown(before, key.name) == shown(after, key.name)) continue;
        CHECK_AT(value, !differing(made_of(after), made).empty());
      }
    }
  }
}

}  // namespace axelram::rtl
