#include <algorithm>

#include "axelram/codebook.hpp"
#include "axelram/files/config_keys.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/trellis.hpp"
#include "sections.hpp"

namespace axelram::commands::sheet {
namespace {

using Manifest = nlohmann::ordered_json;

/// A default that stands for another key's value.
std::string default_of(const files::ConfigKeyRow& key, const files::Config& config) {
  if (key.default_value == "head_dim") return std::to_string(config.parameters.head_dim);
  return key.default_value;
}

Table configuration_table(const files::Config& config) {
  Table table{
      "",
      report::Method::counted,
      {{"key", false, true}, {"value", true}, {"", false}, {"range", false}, {"meaning", false}},
      {}};
  table.method.reset();  // nothing here is a result
  const std::vector<files::ConfigSetting> settings = files::config_settings(config);
  for (const files::ConfigKeyRow& key : files::config_keys()) {
    const auto set = std::find_if(settings.begin(), settings.end(), [&](const auto& setting) {
      return setting.section == key.section && setting.key == key.key;
    });
    std::string value = set == settings.end() ? "" : set->value;
    if (key.section == "macro" && key.key == "name") value = config.name;
    const bool absent = value.empty();
    const bool by_default = absent || value == default_of(key, config) ||
                            (key.key == "name" && !config.named) ||
                            (key.key == "seed" && value == std::to_string(kDefaultSeed));
    table.rows.push_back({key.section + "." + key.key, absent ? "–" : value,
                          absent       ? "absent"
                          : by_default ? "default"
                                       : "set",
                          key.range, key.help});
  }
  return table;
}

Table ports_table(const Manifest& list, const std::string& title) {
  Table table{title,
              report::Method::counted,
              {{"port", false, true}, {"direction", false}, {"bits", true}, {"meaning", false}},
              {}};
  for (const Manifest& port : list)
    table.rows.push_back(
        {port["name"], port["direction"],
         std::to_string(port["width"].get<int>()) + (port["signed"].get<bool>() ? ", signed" : ""),
         port["meaning"]});
  return table;
}

/// A name and a whole number a row.
Table numbers_table(const Manifest& object, const std::string& title, const std::string& what,
                    const std::string& unit) {
  Table table{title, report::Method::counted, {{what, false}, {unit, true}}, {}};
  for (const auto& [name, value] : object.items())
    table.rows.push_back({spaced_name(name), std::to_string(value.get<std::int64_t>())});
  return table;
}

Table codebook_table(const files::Config& config, int j) {
  const Parameters& whole = config.parameters;
  const Parameters p = rtl::part_parameters(whole, j);
  const CodebookRom first = codebook_rom(whole);
  const CodebookRom& rom = j == 0 ? first : *first.second;
  Table table{whole.split() ? "Codebook of sub-vector " + std::to_string(j) : "Codebook",
              report::Method::counted,
              {{"level", true}, {p.trellis() ? "λ" : "centroid γ", true}, {"ROM word C", true}},
              {}};
  const std::vector<double> levels =
      p.trellis() ? trellis_levels(p.index_bits)
                  : solve_codebook(p.codebook, p.head_dim, p.codebook_bits()).centroids;
  if (!p.trellis()) table.columns.push_back({"boundary word B above", true});
  for (std::size_t level = 0; level < levels.size(); ++level) {
    std::vector<std::string> row = {std::to_string(level), number_text(levels[level]),
                                    std::to_string(rom.centroids[level])};
    if (!p.trellis())
      row.push_back(level < rom.boundaries.size() ? std::to_string(rom.boundaries[level]) : "–");
    table.rows.push_back(row);
  }
  return table;
}

Table scales_table(const Manifest& constants) {
  Table table{"Scales",
              report::Method::counted,
              {{"constant", false, true}, {"value", true}, {"meaning", false}},
              {}};
  const auto add = [&](const char* name, const char* meaning) {
    if (!constants.contains(name)) return;
    const Manifest& value = constants[name];
    table.rows.push_back({name, value.dump(), meaning});
  };
  add("score_scale", "score · score_scale ≈ ⟨q, k⟩");
  add("kappa", "scale of the ROM words: C = round(κ γ)");
  add("second_kappa", "the same of sub-vector 1");
  add("residual_scale", "Z, factor of the sum of signs");
  add("center_exponent", "largest exponent of the center");
  return table;
}

}  // namespace

Section configuration_section(const Facts& facts) {
  return {"configuration",
          "Configuration",
          "Every key of a configuration. A key that is absent, or has the value it has by default, "
          "may be left out of the file.",
          {configuration_table(facts.config)}};
}

Section ports_section(const Facts& facts) {
  return {
      "ports",
      "Ports",
      "Ports of the generated top, " + facts.manifest["top"].get<std::string>() +
          ". A beat is transferred in a cycle in which valid and ready are both high; once valid "
          "is high, it and the data stay until then. No output depends on an input in the same "
          "cycle.",
      {ports_table(facts.manifest["ports"], "")}};
}

Section constants_section(const Facts& facts) {
  Section section{
      "constants",
      "Constants and widths",
      "Words of the ROMs, and the width of every quantity. The manifest of the generated "
      "RTL has signs, center and exponents, too.",
      {}};
  for (int j = 0; j < (facts.config.parameters.split() ? 2 : 1); ++j)
    section.parts.push_back(codebook_table(facts.config, j));
  section.parts.push_back(scales_table(facts.manifest["constants"]));
  section.parts.push_back(
      numbers_table(facts.manifest["widths_bits"], "Widths", "quantity", "bits"));
  return section;
}

Section timing_section(const Facts& facts) {
  const std::uint64_t keys = sim::timing_keys(facts.config);
  const Parameters& p = facts.config.parameters;
  std::string scored = "Signals from a query over " + std::to_string(keys) +
                       (keys == 1 ? " stored key" : " stored keys") +
                       " to its scores; the next key waits meanwhile.";
  if (p.copies() >= static_cast<int>(keys))
    scored +=
        " Each of these tokens is exact, and its read waits for its copy; with many tokens "
        "the reads of records hide this.";
  Section section{
      "timing",
      "Timing",
      "Cycles without stalls. A stall of a stream adds the cycles that it lasts and "
      "changes no value. In the diagrams obs_* are observation ports, which the top has "
      "with axelram generate --observe.",
      {}};
  section.parts.push_back(Diagram{"Keys are written",
                                  "Signals of the vector stream while keys enter an empty store, "
                                  "until their records are stored.",
                                  report::Method::counted, sim::write_timing(facts.config)});
  section.parts.push_back(Diagram{"A query is scored", scored, report::Method::counted,
                                  sim::query_timing(facts.config)});
  for (Part& part : figures_at(facts, Place::timing)) section.parts.push_back(std::move(part));
  section.parts.push_back(numbers_table(facts.manifest["latencies_cycles"],
                                        "Latencies of the units", "from input to output",
                                        "cycles"));
  return section;
}

}  // namespace axelram::commands::sheet
