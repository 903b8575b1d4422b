#include "axelram/files/config.hpp"

#include <algorithm>
#include <utility>

#include "axelram/files/messages.hpp"
#include "axelram/files/rotation.hpp"
#include "axelram/signs.hpp"
#include "config_document.hpp"
#include "config_values.hpp"
#include "read_file.hpp"

namespace axelram::files {
namespace {

constexpr int kMaxKeys = 1 << 24;
constexpr int kMaxLayer = (1 << 20) - 1;  // layer * 2^20 + head numbers the sign vectors

using Names = std::vector<std::string>;

const std::vector<std::pair<std::string, Names>>& known_keys() {
  static const std::vector<std::pair<std::string, Names>> keys = {
      {"macro", {"head_dim", "index_bits", "max_keys", "element_format"}},
      {"numerics",
       {"significand_bits", "boundary_fraction_bits", "query_bits", "centroid_bits", "codebook"}},
      {"rotation", {"seed", "layer", "head", "signs", "identity", "center"}},
      {"microarchitecture", {"key_lanes", "read_lanes", "table_multipliers"}},
      {"ecc", {"code", "erasure", "decoder", "stages", "scrub_interval"}}};
  return keys;
}

/// The section that knows `key`, or "".
std::string home_of(const std::string& key) {
  for (const auto& [section, keys] : known_keys())
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return section;
  return "";
}

std::string advice(const std::string& name, const Names& known) {
  const std::string meant = nearest(name, known);
  return meant.empty() ? "known are " + any_of(known) : "was " + meant + " meant?";
}

void check_names(const ConfigDocument& document, const std::string& origin) {
  Names sections;
  for (const auto& known : known_keys()) sections.push_back(known.first);
  for (const ConfigSection& section : document.sections) {
    const auto place = std::find(sections.begin(), sections.end(), section.name);
    if (place == sections.end()) {
      const std::string home = home_of(section.name);
      throw InputError(
          origin + ":" + std::to_string(section.line) + ": unknown section " +
          in_quotes(section.name) + "; " +
          (home.empty() ? advice(section.name, sections) : "that is a key of section " + home));
    }
    const Names& keys = known_keys()[static_cast<std::size_t>(place - sections.begin())].second;
    for (const ConfigValue& value : section.values) {
      if (std::find(keys.begin(), keys.end(), value.key) != keys.end()) continue;
      const std::string home = home_of(value.key);
      throw InputError(origin + ":" + std::to_string(value.line) + ": unknown key " +
                       in_quotes(value.key) + " in section " + section.name + "; " +
                       (home.empty() ? advice(value.key, keys) : "it belongs to section " + home));
    }
  }
}

void read_macro(const ConfigValues& values, Config& config) {
  Parameters& p = config.parameters;
  p.head_dim = values.integer("head_dim", p.head_dim, 32, 256);
  if ((p.head_dim & (p.head_dim - 1)) != 0)
    values.fail(*values.find("head_dim"), "it must be 32, 64, 128 or 256");
  p.index_bits = values.integer("index_bits", p.index_bits, 2, 4);
  config.max_keys = values.integer("max_keys", config.max_keys, 1, kMaxKeys);
  const std::string format = values.choice("element_format", "fp16", {"fp16", "bf16"});
  p.element_format = format == "fp16" ? ElementFormat::fp16 : ElementFormat::bf16;
}

void read_numerics(const ConfigValues& values, Parameters& p) {
  p.significand_bits = values.integer("significand_bits", p.significand_bits, 12, 20);
  p.boundary_fraction_bits =
      values.integer("boundary_fraction_bits", p.boundary_fraction_bits, 10, 16);
  p.query_bits = values.integer("query_bits", p.query_bits, 6, 16);
  p.centroid_bits = values.integer("centroid_bits", p.centroid_bits, 6, 16);
  const std::string codebook = values.choice("codebook", "gaussian", {"gaussian", "beta"});
  p.codebook = codebook == "gaussian" ? CodebookKind::gaussian : CodebookKind::beta;
}

void read_rotation(const ConfigValues& values, const std::string& origin, Rotation& rotation) {
  const ConfigValue* given = nullptr;
  for (const char* key : {"seed", "signs", "identity"}) {
    const ConfigValue* value = values.find(key);
    if (value && given)
      throw InputError(origin + ":" + std::to_string(std::max(given->line, value->line)) +
                       ": rotation has both " + given->key + " and " + key +
                       "; give one of seed, signs and identity");
    if (value) given = value;
  }
  rotation.seed = values.unsigned_integer("seed", rotation.seed);
  rotation.signs_file = values.text("signs");
  if (values.flag("identity")) rotation.source = Rotation::Source::identity;
  if (!rotation.signs_file.empty()) rotation.source = Rotation::Source::signs_file;
  rotation.layer = values.integer("layer", rotation.layer, 0, kMaxLayer);
  rotation.head = values.integer("head", rotation.head, 0, kMaxLayer);
  rotation.center_file = values.text("center");
}

void read_microarchitecture(const ConfigValues& values, const Parameters& p,
                            Microarchitecture& micro) {
  const auto lanes = [&values, &p](const char* key) {
    const int count = values.integer(key, p.head_dim, 1, p.head_dim);
    if ((count & (count - 1)) != 0) values.fail(*values.find(key), "it must be a power of two");
    return count;
  };
  micro.key_lanes = lanes("key_lanes");
  micro.read_lanes = lanes("read_lanes");
  const int entries = p.head_dim << p.index_bits;
  micro.table_multipliers =
      values.integer("table_multipliers", micro.table_multipliers, 1, entries);
  if (entries % micro.table_multipliers != 0)
    values.fail(*values.find("table_multipliers"),
                "it must divide the " + std::to_string(entries) + " table entries");
}

void read_ecc(const ConfigValues& values, Ecc& ecc) {
  ecc.code = values.code("code", ecc.code);
  ecc.erasure = values.choice("erasure", ecc.erasure, {"keep", "zero", "interpolate"});
  ecc.decoder = values.choice("decoder", ecc.decoder, {"algebraic", "rom"});
  ecc.stages = values.integer("stages", ecc.stages, 0, 16);
  ecc.scrub_interval = values.integer("scrub_interval", ecc.scrub_interval, 0, 1 << 30);
}

/// The data that a configuration's files hold, their errors preceded by the line that names them.
template <class Load>
auto load(const ConfigValue& value, const std::string& origin, const std::string& folder,
          Load&& loader) {
  try {
    return loader(inside(folder, value.text));
  } catch (const InputError& error) {
    throw InputError(origin + ":" + std::to_string(value.line) + ": " + value.key + ": " +
                     error.what());
  }
}

/// The name goes into generated scripts and file lists: only characters that mean nothing there.
std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  if (dot != std::string::npos && dot != 0) name.resize(dot);
  const auto harmless = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '+' || c == '-';
  };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !harmless(c); }, '_');
  return name;
}

}  // namespace

Config parse_config(const std::string& text, const std::string& origin, const std::string& folder) {
  const std::string shown = printable(origin);
  const ConfigDocument document = parse_document(text, shown);
  check_names(document, shown);
  const auto section = [&](const char* name) { return ConfigValues(document, name, shown); };

  Config config;
  config.name = name_of(origin);
  Parameters& parameters = config.parameters;
  read_macro(section("macro"), config);
  read_numerics(section("numerics"), parameters);
  read_microarchitecture(section("microarchitecture"), parameters, config.microarchitecture);
  read_ecc(section("ecc"), config.ecc);
  const ConfigValues values = section("rotation");
  Rotation& rotation = config.rotation;
  read_rotation(values, shown, rotation);

  const auto d = static_cast<std::size_t>(parameters.head_dim);
  config.signs.assign(d, 1);
  if (rotation.source == Rotation::Source::seed)
    sign_vector(rotation.seed, rotation.layer, rotation.head, parameters.head_dim,
                config.signs.data());
  if (rotation.source == Rotation::Source::signs_file)
    config.signs = load(*values.find("signs"), shown, folder, [&](const std::string& path) {
      return read_signs_row(path, parameters, rotation.layer, rotation.head);
    });
  if (!rotation.center_file.empty()) {
    config.center = load(*values.find("center"), shown, folder, [&](const std::string& path) {
      return read_center_row(path, parameters, rotation.layer, rotation.head);
    });
    parameters.centered = true;
  }
  return config;
}

Config read_config(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path, kMaxConfigBytes);
  return parse_config(std::string(bytes.begin(), bytes.end()), path, folder_of(path));
}

Protection protection(const Ecc& ecc) {
  const ErasurePolicy erasure = ecc.erasure == "zero"          ? ErasurePolicy::zero
                                : ecc.erasure == "interpolate" ? ErasurePolicy::interpolate
                                                               : ErasurePolicy::keep;
  return {ecc.code, erasure, true};
}

}  // namespace axelram::files
