#include "axelram/files/config.hpp"

#include <algorithm>
#include <utility>

#include "axelram/files/messages.hpp"
#include "axelram/files/rotation.hpp"
#include "axelram/names.hpp"
#include "axelram/signs.hpp"
#include "config_document.hpp"
#include "config_table.hpp"
#include "input_file.hpp"

namespace axelram::files {
namespace {

using Names = std::vector<std::string>;

Names sections() {
  Names names;
  for (const ConfigKey& key : config_table())
    if (names.empty() || names.back() != key.section) names.push_back(key.section);
  return names;
}

Names keys_of(const std::string& section) {
  Names names;
  for (const ConfigKey& key : config_table())
    if (key.section == section) names.push_back(key.name);
  return names;
}

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string advice(const std::string& name, const Names& known) {
  const std::string meant = did_you_mean(name, known);
  return meant.empty() ? "known are " + any_of(known) : meant;
}

void check_names(const ConfigDocument& document, const std::string& origin) {
  for (const ConfigSection& section : document.sections) {
    if (!contains(sections(), section.name)) {
      const std::string home = section_of(section.name);
      fail_at(origin, section.line,
              "unknown section " + in_quotes(section.name) + "; " +
                  (home.empty() ? advice(section.name, sections())
                                : "that is a key of section " + home));
    }
    const Names keys = keys_of(section.name);
    for (const ConfigValue& value : section.values) {
      if (contains(keys, value.key)) continue;
      const std::string home = section_of(value.key);
      fail_at(origin, value.line,
              "unknown key " + in_quotes(value.key) + " in section " + section.name + "; " +
                  (home.empty() ? advice(value.key, keys) : "it belongs to section " + home));
    }
  }
}

/// Rejects a rotation with two sources of signs.
void check_rotation(const ConfigDocument& document, const std::string& origin) {
  const ConfigValue* given = nullptr;
  for (const char* key : {"seed", "signs", "identity"}) {
    const ConfigValue* const value = document.find("rotation", key);
    if (value && given)
      fail_at(origin, std::max(given->line, value->line),
              "rotation has both " + given->key + " and " + key +
                  "; give one of seed, signs and identity");
    if (value) given = value;
  }
}

/// Rejects values that have no effect because records have no code.
void check_ecc(const ConfigDocument& document, const std::string& origin, const Config& config) {
  if (config.ecc.code != "none") return;
  const Config fallback;
  for (const ConfigKey& key : config_table()) {
    const ConfigValue* const value = document.find(key.section, key.name);
    if (key.section == "ecc" && value && key.show(config) != key.show(fallback))
      fail_at(origin, value->line,
              key.name + " is " + *key.show(config) + ", but there is no code; give ecc.code too");
  }
}

/// Rejects states without a trellis, and repairs of indices that several levels depend on.
void check_trellis(const ConfigDocument& document, const std::string& origin,
                   const Config& config) {
  const Parameters& p = config.parameters;
  const ConfigValue* const states = document.find("quantizer", "states");
  if (states && !p.trellis() && p.states != Parameters().states)
    fail_at(origin, states->line,
            "states is " + states->text +
                ", but only a trellis has states; give quantizer: {kind: trellis} too");
  const ConfigValue* const erasure = document.find("ecc", "erasure");
  if (erasure && p.trellis() && config.ecc.erasure != ErasurePolicy::keep)
    fail_at(origin, erasure->line,
            "erasure is " + erasure->text +
                ", but several levels depend on an index of a trellis; it must be keep");
}

/// Rejects exact tokens with a scale whose scores have another unit, and bits of copies that no
/// token has.
void check_exact(const ConfigDocument& document, const std::string& origin, const Config& config) {
  const ConfigSection* const section = document.find("exact");
  if (!section) return;
  const Parameters fallback;
  const bool exact = config.parameters.copies() != 0;
  for (const ConfigValue& value : section->values) {
    if (value.key == "bits" && !exact && config.parameters.exact_bits != fallback.exact_bits)
      fail_at(
          origin, value.line,
          "bits is " + value.text + ", but no token is exact; give exact.first or exact.last too");
    if (value.key != "bits" && value.text != "0" && config.parameters.scale != ScaleKind::unbiased)
      fail_at(origin, value.line,
              value.key + " is " + value.text + ", but the scale is " +
                  axelram::name_of(config.parameters.scale) +
                  "; exact tokens need quantizer: {scale: unbiased}");
  }
}

/// Loads a file that a configuration names. Its errors begin with the line of the configuration.
template <class Load>
auto load(const ConfigValue& value, const std::string& origin, const std::string& folder,
          Load&& loader) {
  try {
    return loader(inside(folder, value.text));
  } catch (const InputError& error) {
    fail_at(origin, value.line, value.key + ": " + error.what());
  }
}

/// File name without directory and extension, reduced to characters that are safe in generated
/// scripts and file lists.
std::string config_name(const std::string& path) {
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
  check_rotation(document, shown);

  Config config;
  config.name = config_name(origin);
  for (const ConfigKey& key : config_table()) {
    if (key.set_default) key.set_default(config);
    if (const ConfigValue* const value = document.find(key.section, key.name))
      key.read(*value, shown, config);
  }

  check_ecc(document, shown, config);
  check_exact(document, shown, config);
  check_trellis(document, shown, config);

  Parameters& parameters = config.parameters;
  const Rotation& rotation = config.rotation;
  const auto d = static_cast<std::size_t>(parameters.head_dim);
  config.signs.assign(d, 1);
  if (rotation.source == Rotation::Source::seed)
    sign_vector(rotation.seed, rotation.layer, rotation.head, parameters.head_dim,
                config.signs.data());
  if (rotation.source == Rotation::Source::signs_file)
    config.signs =
        load(*document.find("rotation", "signs"), shown, folder, [&](const std::string& path) {
          return read_signs_row(path, parameters, rotation.layer, rotation.head);
        });
  if (!rotation.center_file.empty()) {
    config.center =
        load(*document.find("rotation", "center"), shown, folder, [&](const std::string& path) {
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

Protection protection(const Ecc& ecc) { return {ecc.code, ecc.erasure, true}; }

}  // namespace axelram::files
