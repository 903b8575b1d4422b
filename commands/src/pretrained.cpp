#include "axelram/commands/pretrained.hpp"

#include <algorithm>
#include <filesystem>

#include "axelram/files/errors.hpp"
#include "axelram/files/json.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/places.hpp"

namespace axelram::commands {

std::string PretrainedModel::path() const {
  const std::string cache = files::user_cache();
  if (cache.empty())
    throw files::EnvironmentError("no folder for pretrained models; set XDG_CACHE_HOME to one");
  return cache + "/models/" + name + "/" + file;
}

bool PretrainedModel::cached() const {
  std::error_code error;
  return std::filesystem::exists(path(), error);
}

std::string PretrainedModel::command() const {
  const std::string script = files::shipped("scripts/get_model");
  return (script.empty() ? "scripts/get_model" : script) + " " + name;
}

std::vector<PretrainedModel> pretrained_models() {
  const std::string table = files::shipped("models/pretrained.json");
  if (table.empty()) return {};
  std::vector<PretrainedModel> models;
  const nlohmann::json rows = files::read_json(table);
  try {
    for (const nlohmann::json& row : rows)
      models.push_back({row.at("name"), row.at("file"), row.at("licence"), row.at("bytes")});
  } catch (const nlohmann::json::exception& error) {
    throw files::InputError(files::printable(table) + ": no table of pretrained models (" +
                            files::printable(error.what()) + "); is it that of this version?");
  }
  return models;
}

std::string find_model(const std::string& text) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(text, error);
  if (status.type() != std::filesystem::file_type::not_found) return text;
  std::vector<std::string> names;
  for (const PretrainedModel& model : pretrained_models()) {
    names.push_back(model.name);
    if (model.name != text) continue;
    if (model.cached()) return model.path();
    throw files::EnvironmentError(text +
                                  ": this pretrained model is not in the cache; get it with '" +
                                  model.command() + "'");
  }
  if (const std::string meant = files::did_you_mean(text, names); !meant.empty())
    throw files::InputError(files::printable(text) + ": no such file or folder; " + meant);
  return text;
}

}  // namespace axelram::commands
