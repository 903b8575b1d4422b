#include "sram.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "axelram/files/messages.hpp"
#include "key_types.hpp"

namespace axelram::files {
namespace {

constexpr const char* kSram = "sram";
constexpr int kLargestNode = 10000;

/// The models that read a key; the first one needs it.
struct ModelKey {
  const char* name;
  std::vector<SramModel> models;
  bool needed;
};

const std::vector<ModelKey>& model_keys() {
  using M = SramModel;
  static const std::vector<ModelKey> keys = {{"file", {M::table}, false},
                                             {"node", {M::table, M::liberty, M::openram}, false},
                                             {"liberty", {M::liberty}, true},
                                             {"lef", {M::liberty}, false},
                                             {"folder", {M::openram}, true},
                                             {"corner", {M::openram}, false},
                                             {"load", {M::liberty, M::openram}, false},
                                             {"slew", {M::liberty, M::openram}, false},
                                             {"read_when", {M::liberty}, false},
                                             {"write_when", {M::liberty}, false}};
  return keys;
}

bool reads(SramModel model, const ModelKey& key) {
  return std::find(key.models.begin(), key.models.end(), model) != key.models.end();
}

/// `key`, which some models read.
ConfigKey of_models(ConfigKey key, const char* default_value) {
  const auto found = std::find_if(model_keys().begin(), model_keys().end(),
                                  [&key](const ModelKey& row) { return key.name == row.name; });
  key.default_value = default_value;
  key.left_out = [row = &*found](const Config& config) { return !reads(config.sram.model, *row); };
  std::vector<std::string> models;
  for (const SramModel model : found->models) models.push_back("`" + axelram::name_of(model) + "`");
  key.need = {"the model " + any_of(models), [row = &*found](const Config& config) -> std::string {
                const SramModel model = config.sram.model;
                if (reads(model, *row)) return "";
                return "the model is " + axelram::name_of(model) +
                       "; the key needs sram: {model: " + axelram::name_of(row->models.front()) +
                       "}";
              }};
  return key;
}

ConfigKey sram_model() {
  ConfigKey key = choice(
      kSram, "model", [](auto& config) -> auto& { return config.sram.model; },
      "source of area, energy and time of the key store in `report`; no result depends on "
      "it");
  key.default_value = "none";
  key.show = [](const Config& config) -> std::optional<std::string> {
    if (config.sram.model == SramModel::none) return std::nullopt;
    return axelram::name_of(config.sram.model);
  };
  return key;
}

ConfigKey sram_node() {
  return {kSram,
          "node",
          "process in nm: of the points of a table, or as a note beside a macro",
          "integer",
          "1.." + std::to_string(kLargestNode),
          [](const DocumentValue& value, const std::string& origin, Config& config) {
            config.sram.node = integer_of(value, origin, 45, 1, kLargestNode);
          },
          [](const Config& config) -> std::optional<std::string> {
            if (config.sram.node == 0) return std::nullopt;
            return std::to_string(config.sram.node);
          },
          "",
          nullptr};
}

ConfigKey sram_file(const char* name, std::string SramSettings::*member, const char* help) {
  return file(
      kSram, name, [member](auto& config) -> auto& { return config.sram.*member; }, help);
}

/// A text that is no file.
ConfigKey sram_text(const char* name, std::string SramSettings::*member, const char* range,
                    const char* help) {
  ConfigKey key = sram_file(name, member, help);
  key.type = "text";
  key.range = range;
  key.read = [member](const DocumentValue& value, const std::string& origin, Config& config) {
    if (value.text.empty()) reject(value, origin, "it must be a text; otherwise leave the key out");
    config.sram.*member = value.text;
  };
  return key;
}

}  // namespace

std::vector<ConfigKey> sram_keys() {
  using S = SramSettings;
  std::vector<ConfigKey> keys = {
      sram_model(),
      of_models(sram_file("file", &S::file, "points of a table, instead of the shipped ones"), ""),
      of_models(sram_node(), "the table's only one"),
      of_models(sram_file("liberty", &S::liberty, "Liberty file of an SRAM macro"), ""),
      of_models(sram_file("lef", &S::lef, "LEF file of it, for the area"), ""),
      of_models(sram_file("folder", &S::folder, "output folder of OpenRAM"), ""),
      of_models(
          sram_text("corner", &S::corner, "such as TT_1p8V_25C", "which of its Liberty files"),
          "the folder's only one"),
      of_models(integer(
                    kSram, "load", [](auto& config) -> auto& { return config.sram.load; },
                    {1, 10000}, "load of an output of the macro in fF"),
                "10"),
      of_models(integer(
                    kSram, "slew", [](auto& config) -> auto& { return config.sram.slew; },
                    {1, 10000}, "transition time of its inputs in ps"),
                "20"),
      of_models(sram_text("read_when", &S::read_when, "such as !CEN & WEN",
                          "condition of the internal power of a read"),
                "by the names of pins"),
      of_models(sram_text("write_when", &S::write_when, "such as !CEN & !WEN",
                          "condition of the internal power of a write"),
                "by the names of pins"),
  };
  for (ConfigKey& key : keys) key.former_section = "memory";
  return keys;
}

void check_sram(const Document& document, const std::string& origin, const Config& config) {
  const DocumentSection* const section = document.find(kSram);
  if (section == nullptr) return;
  const SramModel model = config.sram.model;
  for (const ModelKey& key : model_keys()) {
    if (key.needed && model == key.models.front() && section->find(key.name) == nullptr)
      fail_at(origin, section->line,
              "sram has no " + std::string(key.name) + "; the model " + axelram::name_of(model) +
                  " needs it");
  }
}

SramSource sram_source(const Document& document, const std::string& origin,
                       const std::string& folder, const SramSettings& settings) {
  try {
    return read_sram(settings, folder);
  } catch (const InputError& error) {
    const DocumentValue* at = document.find(kSram, "model");
    for (const char* key : {"file", "liberty", "folder"})
      if (const DocumentValue* const value = document.find(kSram, key)) at = value;
    fail_at(origin, at->line, at->key + ": " + error.what());
  }
}

}  // namespace axelram::files
