#include "table.hpp"

#include <limits>
#include <utility>

#include "attention.hpp"
#include "bounded_memory.hpp"
#include "ecc.hpp"
#include "key_types.hpp"
#include "name.hpp"
#include "sram.hpp"

namespace axelram::files {
namespace {

constexpr int kMaxKeys = 1 << 24;

const Rule kHeadDim{"32, 64, 128, 256", [](int value, const Config&) -> std::string {
                      return is_power_of_two(value) ? "" : "it must be 32, 64, 128 or 256";
                    }};
const Rule kStates{"4, 8, 16", [](int value, const Config&) -> std::string {
                     return value >= 4 && is_power_of_two(value) ? "" : "it must be 4, 8 or 16";
                   }};
const Rule kMultipliers{
    "divisors of the table's entries: head_dim * 2^index_bits; twice that with `trellis`, half of "
    "it with `prod`; half of these with `half_table`; with a split those of the smaller table",
    [](int value, const Config& config) -> std::string {
      const int entries = table_entries(config);
      return entries % value == 0
                 ? ""
                 : "it must divide the " + std::to_string(entries) + " table entries";
    }};

template <class Member>
ConfigKey lanes(const char* name, Member member, const char* help) {
  ConfigKey key = integer("microarchitecture", name, member, {1, dimension}, help, lanes_rule());
  key.default_value = "head_dim";
  key.set_default = [member](Config& config) { member(config) = dimension(config); };
  return key;
}

/// Names of modules and files begin with the name, so that it has few kinds of characters.
std::string name_of(const DocumentValue& value, const std::string& origin) {
  const std::string wrong = wrong_name(value.text);
  if (!wrong.empty()) reject(value, origin, wrong);
  return value.text;
}

ConfigKey of_table(ConfigKey key) {
  const auto table = [](const Config& config) {
    return config.microarchitecture.score_lane != ScoreLane::multiplier;
  };
  return only_with(std::move(key), "a score table", table,
                   "there is no table; give score_lane: table or half_table too");
}

ConfigKey name() {
  return {"macro",
          "name",
          "what the names of modules and packages of this macro begin with (characters that are no "
          "letters and digits become '_'; in hardware at most 120 are left)",
          "name",
          "letters, digits, `_`, `-`, `.`, `+`",
          [](const DocumentValue& value, const std::string& origin, Config& config) {
            config.name = name_of(value, origin);
            config.named = true;
            config.name_place = origin + ":" + std::to_string(value.line);
          },
          [](const Config& config) -> std::optional<std::string> {
            if (!config.named) return std::nullopt;
            return name_in_yaml(config.name);
          },
          "the file's name",
          nullptr};
}

ConfigKey seed() {
  return {"rotation",
          "seed",
          "signs from a random generator with this seed",
          "integer",
          "0.." + power_text(std::numeric_limits<std::uint64_t>::max()),
          [](const DocumentValue& value, const std::string& origin, Config& config) {
            config.rotation.seed = unsigned_of(value, origin, config.rotation.seed);
          },
          [](const Config& config) -> std::optional<std::string> {
            if (config.rotation.source != Rotation::Source::seed) return std::nullopt;
            return std::to_string(config.rotation.seed);
          },
          "",
          nullptr};
}

ConfigKey signs() {
  ConfigKey key = file("rotation", "signs", MEMBER(rotation.signs_file),
                       "signs I8 [layers, KV heads, head_dim] of -1 and +1, instead of a seed");
  key.read = [read = key.read](const DocumentValue& value, const std::string& origin,
                               Config& config) {
    read(value, origin, config);
    config.rotation.source = Rotation::Source::signs_file;
  };
  return key;
}

ConfigKey split_bits() {
  return {"split",
          "bits",
          "h and l, bits of a stored element in the two sub-vectors; needs the scale unbiased",
          "integers",
          "[h, l], 1 <= l <= h <= 4",
          [](const DocumentValue& value, const std::string& origin, Config& config) {
            if (value.elements.size() != 2)
              reject(value, origin, "it must be two numbers of bits, such as [4, 2]");
            Parameters& p = config.parameters;
            p.split_high = integer_of(value.elements[0], origin, 4, 1, 4);
            p.split_low = integer_of(value.elements[1], origin, 2, 1, 4);
            if (p.split_low > p.split_high)
              reject(value, origin, "the first must not be the smaller one");
          },
          [](const Config& config) -> std::optional<std::string> {
            const Parameters& p = config.parameters;
            if (!p.split()) return std::nullopt;
            return "[" + std::to_string(p.split_high) + ", " + std::to_string(p.split_low) + "]";
          },
          "",
          nullptr};
}

ConfigKey identity() {
  return {"rotation",
          "identity",
          "all signs +1, instead of a seed",
          "flag",
          "true",
          [](const DocumentValue& value, const std::string& origin, Config& config) {
            check_flag(value, origin);
            config.rotation.source = Rotation::Source::identity;
          },
          [](const Config& config) -> std::optional<std::string> {
            if (config.rotation.source != Rotation::Source::identity) return std::nullopt;
            return "true";
          },
          "",
          nullptr};
}

/// Keys of what is described in the bit contract.
std::vector<ConfigKey> macro_keys() {
  return {
      name(),
      integer("macro", "head_dim", MEMBER(parameters.head_dim), {32, 256}, "d, elements of a key",
              kHeadDim),
      with_need(
          integer("macro", "index_bits", MEMBER(parameters.index_bits), {2, 4},
                  "b, bits of a stored element"),
          "a key without a split", [](const Config& config) { return !config.parameters.split(); },
          "the sub-vectors have the bits of split.bits; leave the key out"),
      integer("macro", "max_keys", MEMBER(max_keys), {1, kMaxKeys}, "capacity in keys"),
      choice("macro", "element_format", MEMBER(parameters.element_format),
             "floating-point format of keys, queries and center"),

      integer("numerics", "significand_bits", MEMBER(parameters.significand_bits), {12, 20},
              "W, bits of an aligned element"),
      integer("numerics", "boundary_fraction_bits", MEMBER(parameters.boundary_fraction_bits),
              {10, 16}, "F, fraction bits of a boundary word"),
      integer("numerics", "query_bits", MEMBER(parameters.query_bits), {6, 16},
              "WQ, bits of a rotated query element"),
      integer("numerics", "centroid_bits", MEMBER(parameters.centroid_bits), {6, 16},
              "WC, bits of a centroid word"),
      with_need(
          choice("numerics", "codebook", MEMBER(parameters.codebook),
                 "distribution for which the Lloyd-Max quantizer is optimal: N(0,1), or a "
                 "coordinate on the sphere times the square root of d"),
          "the kind `mse` or `prod`",
          [](const Config& config) { return !config.parameters.trellis(); },
          "the levels of a trellis are fixed; give quantizer: {kind: mse} or leave the key out"),

      choice("quantizer", "kind", MEMBER(parameters.kind), "how the indices of a key are chosen"),
      choice("quantizer", "scale", MEMBER(parameters.scale),
             "what the 16 norm bits of a record hold"),
      with_need(
          integer("quantizer", "states", MEMBER(parameters.states), {4, 16},
                  "states of the trellis", kStates),
          "the kind `trellis`", [](const Config& config) { return config.parameters.trellis(); },
          "only a trellis has states; leave the key out, or give quantizer: {kind: trellis}"),

      split_bits(),
      file("split", "channels", MEMBER(channels_file),
           "`high` I32 [layers, KV heads, head_dim / 2], the channels of sub-vector 0, ascending"),

      integer("exact", "first", MEMBER(parameters.exact_first), {0, 16},
              "first tokens that are scored from copies of their keys; needs the scale unbiased"),
      integer("exact", "last", MEMBER(parameters.exact_last), {0, 64}, "newest tokens likewise"),
      with_need(
          integer("exact", "bits", MEMBER(parameters.exact_bits), {12, 16},
                  "X, bits of an element of a copy"),
          "exact tokens", [](const Config& config) { return config.parameters.copies() != 0; },
          "no token is exact; leave the key out, or give exact.first or exact.last, which need "
          "quantizer: {scale: unbiased}"),

      seed(),
      signs(),
      identity(),
      integer("rotation", "layer", MEMBER(rotation.layer), {0, kMaxLayer},
              "layer of the signs, of the center and of the exponents"),
      integer("rotation", "head", MEMBER(rotation.head), {0, kMaxLayer},
              "KV head of the signs, of the center and of the exponents"),
      file("rotation", "center", MEMBER(rotation.center_file),
           "`center` [layers, KV heads, head_dim] in the element format, subtracted from each key"),
      file("rotation", "balance", MEMBER(rotation.balance_file),
           "`balance` I8 [layers, KV heads, head_dim], exponents -8..7: an element of a key is "
           "taken times 2 to the minus exponent, one of a query times 2 to the exponent"),
  };
}

/// Keys that decide on the RTL alone.
std::vector<ConfigKey> hardware_keys() {
  return {
      lanes("key_lanes", MEMBER(microarchitecture.key_lanes),
            "elements of a vector taken per cycle"),
      lanes("read_lanes", MEMBER(microarchitecture.read_lanes), "table lookups per cycle"),
      choice("microarchitecture", "score_lane", MEMBER(microarchitecture.score_lane),
             "what makes the products of a read; no result depends on it"),
      of_table(integer("microarchitecture", "table_multipliers",
                       MEMBER(microarchitecture.table_multipliers), {1, table_entries},
                       "table entries computed per cycle", kMultipliers)),
      of_table(choice("microarchitecture", "table_storage", MEMBER(microarchitecture.table_storage),
                      "what holds the entries of the table; no result depends on it")),
      choice("microarchitecture", "clock_gating", MEMBER(microarchitecture.clock_gating),
             "what has no clock while it is empty; no result and no cycle depends on it"),
  };
}

}  // namespace

const std::vector<ConfigKey>& config_table() {
  static const std::vector<ConfigKey> table = [] {
    std::vector<ConfigKey> keys = macro_keys();
    for (const auto part :
         {attention_keys, hardware_keys, ecc_keys, bounded_memory_keys, sram_keys})
      for (ConfigKey& key : part()) keys.push_back(std::move(key));
    return keys;
  }();
  return table;
}

std::string section_of(const std::string& key) {
  for (const ConfigKey& row : config_table())
    if (row.name == key) return row.section;
  return "";
}

bool takes_list(const std::string& section, const std::string& key) {
  for (const ConfigKey& row : config_table())
    if (row.section == section && row.name == key) return row.type == "integers";
  return false;
}

}  // namespace axelram::files
