#include "axelram/files/config.hpp"

#include <algorithm>
#include <utility>

#include "axelram/files/messages.hpp"
#include "axelram/files/places.hpp"
#include "axelram/files/rotation.hpp"
#include "bounded_memory.hpp"
#include "checks.hpp"
#include "disk/input_file.hpp"
#include "documents/sections.hpp"
#include "former_keys.hpp"
#include "name.hpp"
#include "sram.hpp"
#include "table.hpp"

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

void check_names(const Document& document, const std::string& origin) {
  for (const DocumentSection& section : document.sections) {
    if (!contains(sections(), section.name)) {
      const std::string home = section_of(section.name);
      fail_at(origin, section.line,
              "unknown section " + in_quotes(section.name) + "; " +
                  (home.empty() ? advice(section.name, sections())
                                : "that is a key of section " + home));
    }
    const Names keys = keys_of(section.name);
    for (const DocumentValue& value : section.values) {
      if (contains(keys, value.key)) continue;
      const std::string home = section_of(value.key);
      fail_at(origin, value.line,
              "unknown key " + in_quotes(value.key) + " in section " + section.name + "; " +
                  (home.empty() ? advice(value.key, keys) : "it belongs to section " + home));
    }
  }
}

/// The value of a document that an override stands for.
DocumentValue value_of(const ConfigOverride& change, const std::string& origin) {
  const DocumentNode& node = change.value;
  DocumentValue value{change.key, node.line, node.text, node.plain, false, {}};
  if (node.is_value()) return value;
  if (!node.is_list() || !takes_list(change.section, change.key))
    fail_at(origin, node.line,
            in_quotes(change.key) + " is a " + (node.is_list() ? "list" : "map") +
                "; it takes one value");
  value.list = true;
  for (const DocumentNode& element : node.children) {
    if (!element.is_value())
      fail_at(origin, element.line,
              in_quotes(change.key) + " holds lists or maps; its elements are single values");
    value.text += (value.elements.empty() ? "" : ", ") + element.text;
    value.elements.push_back(
        {"an element of " + change.key, element.line, element.text, element.plain, false, {}});
  }
  value.text = "[" + value.text + "]";
  return value;
}

void apply(const ConfigOverride& change, const std::string& origin, Document* document) {
  DocumentValue value = value_of(change, origin);
  auto section = std::find_if(
      document->sections.begin(), document->sections.end(),
      [&](const DocumentSection& candidate) { return candidate.name == change.section; });
  if (section == document->sections.end())
    section = document->sections.insert(section, {change.section, value.line, {}});
  std::erase_if(section->values, [&](const DocumentValue& old) { return old.key == change.key; });
  section->values.push_back(std::move(value));
}

/// Loads a file that a configuration names. Its errors begin with the line of the configuration.
template <class Load>
auto load(const DocumentValue& value, const std::string& origin, const std::string& folder,
          Load&& loader) {
  try {
    return loader(inside(folder, value.text));
  } catch (const InputError& error) {
    fail_at(origin, value.line, value.key + ": " + error.what());
  }
}

/// Signs, channels, center and exponents of row `row` of the rotations, 0 being that of the layer
/// and KV head of `config`. load(section, key, file, loader): loader(path) of the file, which the
/// key names.
template <class Load>
RotationRow read_rotation_row(const Config& config, int row, const Load& load) {
  const Parameters& p = config.parameters;
  Rotation rotation = config.rotation;
  RotationRow read;
  std::vector<std::uint16_t> channels;
  if (p.split())
    channels = load("split", "channels", config.channels_file, [&](const std::string& path) {
      return read_channels_row(path, p, rotation.layer, rotation.head);
    });
  std::vector<std::int8_t> signs;
  if (rotation.source == Rotation::Source::signs_file)
    signs = load("rotation", "signs", rotation.signs_file, [&](const std::string& path) {
      return read_signs_row(path, p, rotation.layer, rotation.head, row);
    });
  if (!rotation.center_file.empty())
    read.center = load("rotation", "center", rotation.center_file, [&](const std::string& path) {
      return read_center_row(path, p, rotation.layer, rotation.head, row);
    });
  std::vector<std::int8_t> balance;
  if (!rotation.balance_file.empty())
    balance = load("rotation", "balance", rotation.balance_file, [&](const std::string& path) {
      return read_exponents_row(path, p, rotation.layer, rotation.head, row);
    });
  rotation.head += row;
  read.rotation =
      head_rotation(p, rotation, std::move(signs), std::move(channels), std::move(balance));
  return read;
}

/// Sets all rows of the rotations.
template <class Load>
void read_head(Config& config, const Load& load) {
  RotationRow first = read_rotation_row(config, 0, load);
  config.head_rotation = std::move(first.rotation);
  config.center = std::move(first.center);
  config.parameters.centered = !config.center.empty();
  config.parameters.balanced = !config.head_rotation.balance.empty();
  config.further_rotations.clear();
  for (int row = 1; row < config.store.rotations; ++row)
    config.further_rotations.push_back(read_rotation_row(config, row, load));
}

}  // namespace

Config parse_config(const std::string& text, const std::string& origin, const std::string& folder,
                    const std::vector<ConfigOverride>& overrides) {
  const std::string shown = printable(origin);
  Document document = parse_sections(text, shown, kConfiguration);
  move_former_keys(shown, &document);
  for (const ConfigOverride& change : overrides) apply(change, shown, &document);
  check_names(document, shown);

  Config config;
  config.name = name_of_file(origin);
  config.name_place = shown;
  config.attention.given = document.find("attention") != nullptr;
  config.bounded_memory.given = has_bounded_memory(document);
  for (const ConfigKey& key : config_table()) {
    if (key.set_default) key.set_default(config);
    if (const DocumentValue* const value = document.find(key.section, key.name))
      key.read(*value, shown, config);
  }

  check_combinations(document, shown, config);
  finish_bounded_memory(document, shown, &config);

  read_head(config,
            [&](const char* section, const char* key, const std::string&, const auto& loader) {
              return load(*document.find(section, key), shown, folder, loader);
            });
  config.sram_source = sram_source(document, shown, folder, config.sram);
  return config;
}

HeadRotation head_rotation(const Parameters& parameters, const Rotation& rotation,
                           std::vector<std::int8_t> signs, std::vector<std::uint16_t> channels,
                           std::vector<std::int8_t> balance) {
  const bool seeded = signs.empty() && rotation.source == Rotation::Source::seed;
  if (signs.empty()) signs.assign(static_cast<std::size_t>(parameters.head_dim), 1);
  HeadRotation made = seeded ? seeded_rotation(parameters, rotation.seed, rotation.layer,
                                               rotation.head, std::move(channels))
                             : given_rotation(parameters, signs, rotation.layer, rotation.head,
                                              std::move(channels));
  made.balance = std::move(balance);
  return made;
}

Config config_of_head(Config config, const std::string& folder, int layer, int head) {
  config.rotation.layer = layer;
  config.rotation.head = head;
  read_head(config, [&](const char*, const char*, const std::string& file, const auto& loader) {
    return loader(inside(folder, file));
  });
  return config;
}

Config read_config(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path, kMaxDocumentBytes);
  return parse_config(std::string(bytes.begin(), bytes.end()), path, folder_of(path));
}

int table_levels(const Config& config, const Parameters& part) {
  switch (config.microarchitecture.score_lane) {
    case ScoreLane::table:
      return part.levels();
    case ScoreLane::half_table:
      return part.levels() / 2;
    case ScoreLane::multiplier:
      break;
  }
  return 0;
}

bool latch_table(const Config& config) {
  return config.microarchitecture.score_lane != ScoreLane::multiplier &&
         config.microarchitecture.table_storage == TableStorage::latches;
}

std::vector<RotationRow> rotation_rows(const Config& config) {
  std::vector<RotationRow> rows = {{config.head_rotation, config.center}};
  rows.insert(rows.end(), config.further_rotations.begin(), config.further_rotations.end());
  return rows;
}

void reject_attention(const Config& config, const std::string& what) {
  if (config.attention.given)
    throw InputError(
        "configuration " + config.name + ": section attention: " + what +
        " ends at the scores; 'axelram run' and 'axelram verify' attend, 'axelram generate' "
        "writes the hardware");
}

void reject_bounded_memory(const Config& config, const std::string& what) {
  if (config.bounded_memory.given)
    throw InputError("configuration " + config.name + ": section memory: " + what +
                     " serves no bounded memory; 'axelram run' does, with golden and fast");
}

Protection protection(const Ecc& ecc) { return {ecc.code, ecc.erasure, true}; }

}  // namespace axelram::files
