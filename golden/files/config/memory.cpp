#include "memory.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "axelram/files/messages.hpp"
#include "key_types.hpp"

namespace axelram::files {
namespace {

constexpr const char* kMemory = "memory";
constexpr int kLargestNode = 10000;

/// The models that read a key; the first one needs it.
struct ModelKey {
  const char* name;
  std::vector<MemoryModel> models;
  bool needed;
};

const std::vector<ModelKey>& model_keys() {
  using M = MemoryModel;
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

bool reads(MemoryModel model, const ModelKey& key) {
  return std::find(key.models.begin(), key.models.end(), model) != key.models.end();
}

/// `key`, left out of canonical YAML if the model does not read it.
ConfigKey of_models(ConfigKey key, const char* default_value) {
  const auto found = std::find_if(model_keys().begin(), model_keys().end(),
                                  [&key](const ModelKey& row) { return key.name == row.name; });
  key.default_value = default_value;
  key.show = [show = key.show, row = &*found](const Config& config) {
    return reads(config.memory.model, *row) ? show(config) : std::nullopt;
  };
  return key;
}

ConfigKey memory_model() {
  ConfigKey key = choice(
      kMemory, "model", [](auto& config) -> auto& { return config.memory.model; },
      "source of area, energy and time of the key store in `report`; no result depends on "
      "it");
  key.default_value = "none";
  key.show = [](const Config& config) -> std::optional<std::string> {
    if (config.memory.model == MemoryModel::none) return std::nullopt;
    return axelram::name_of(config.memory.model);
  };
  return key;
}

ConfigKey memory_node() {
  return {kMemory,
          "node",
          "process in nm: of the points of a table, or as a note beside a macro",
          "integer",
          "1.." + std::to_string(kLargestNode),
          [](const DocumentValue& value, const std::string& origin, Config& config) {
            config.memory.node = integer_of(value, origin, 45, 1, kLargestNode);
          },
          [](const Config& config) -> std::optional<std::string> {
            if (config.memory.node == 0) return std::nullopt;
            return std::to_string(config.memory.node);
          },
          "",
          nullptr};
}

ConfigKey memory_file(const char* name, std::string MemorySettings::*member, const char* help) {
  return file(
      kMemory, name, [member](auto& config) -> auto& { return config.memory.*member; }, help);
}

/// A text that is no file.
ConfigKey memory_text(const char* name, std::string MemorySettings::*member, const char* range,
                      const char* help) {
  ConfigKey key = memory_file(name, member, help);
  key.type = "text";
  key.range = range;
  key.read = [member](const DocumentValue& value, const std::string& origin, Config& config) {
    if (value.text.empty()) reject(value, origin, "it must be a text; otherwise leave the key out");
    config.memory.*member = value.text;
  };
  return key;
}

}  // namespace

std::vector<ConfigKey> memory_keys() {
  using S = MemorySettings;
  return {
      memory_model(),
      of_models(memory_file("file", &S::file, "points of a table, instead of the shipped ones"),
                ""),
      of_models(memory_node(), "the table's only one"),
      of_models(memory_file("liberty", &S::liberty, "Liberty file of an SRAM macro"), ""),
      of_models(memory_file("lef", &S::lef, "LEF file of it, for the area"), ""),
      of_models(memory_file("folder", &S::folder, "output folder of OpenRAM"), ""),
      of_models(
          memory_text("corner", &S::corner, "such as TT_1p8V_25C", "which of its Liberty files"),
          "the folder's only one"),
      of_models(integer(
                    kMemory, "load", [](auto& config) -> auto& { return config.memory.load; },
                    {1, 10000}, "load of an output of the macro in fF"),
                "10"),
      of_models(integer(
                    kMemory, "slew", [](auto& config) -> auto& { return config.memory.slew; },
                    {1, 10000}, "transition time of its inputs in ps"),
                "20"),
      of_models(memory_text("read_when", &S::read_when, "such as !CEN & WEN",
                            "condition of the internal power of a read"),
                "by the names of pins"),
      of_models(memory_text("write_when", &S::write_when, "such as !CEN & !WEN",
                            "condition of the internal power of a write"),
                "by the names of pins"),
  };
}

void check_memory(const Document& document, const std::string& origin, const Config& config) {
  const DocumentSection* const section = document.find(kMemory);
  if (section == nullptr) return;
  const MemoryModel model = config.memory.model;
  for (const ModelKey& key : model_keys()) {
    const DocumentValue* const value = section->find(key.name);
    if (value != nullptr && !reads(model, key))
      reject(*value, origin,
             "the model is " + axelram::name_of(model) +
                 "; the key needs memory: {model: " + axelram::name_of(key.models.front()) + "}");
    if (value == nullptr && key.needed && model == key.models.front())
      fail_at(origin, section->line,
              "memory has no " + std::string(key.name) + "; the model " + axelram::name_of(model) +
                  " needs it");
  }
}

MemorySource memory_source(const Document& document, const std::string& origin,
                           const std::string& folder, const MemorySettings& settings) {
  try {
    return read_memory(settings, folder);
  } catch (const InputError& error) {
    const DocumentValue* at = document.find(kMemory, "model");
    for (const char* key : {"file", "liberty", "folder"})
      if (const DocumentValue* const value = document.find(kMemory, key)) at = value;
    fail_at(origin, at->line, at->key + ": " + error.what());
  }
}

}  // namespace axelram::files
