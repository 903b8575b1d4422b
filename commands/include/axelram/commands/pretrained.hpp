#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace axelram::commands {

/// A model of models/pretrained.json, which scripts/get_model puts into the user's cache.
struct PretrainedModel {
  std::string name, file, licence;  ///< `file`: its name in the cached folder
  std::uint64_t bytes = 0;          ///< of the file

  /// Path of the file in the cache, whether it exists or not. Throws files::EnvironmentError if the
  /// user has no cache.
  std::string path() const;
  bool cached() const;
  /// The command that gets it.
  std::string command() const;
};

/// The table. Empty if models/pretrained.json is not shipped. Throws files::InputError if it is no
/// such table.
std::vector<PretrainedModel> pretrained_models();

/// Path of a model that a user names: `text` itself if such a file or folder exists, else the
/// cached file of the pretrained model of this name, else `text`, of which its reader says what is
/// wrong. Throws files::EnvironmentError if the pretrained model is not in the cache (the command
/// that gets it is in the message), files::InputError if `text` is only similar to a name.
std::string find_model(const std::string& text);

}  // namespace axelram::commands
