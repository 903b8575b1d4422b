#pragma once

#include <string>
#include <vector>

#include "axelram/files/config.hpp"

namespace axelram::cli {

/// The files a command will write, checked before any long work: none may exist without --force,
/// none may be an input or another output.
class Outputs {
 public:
  Outputs(bool force, const std::vector<std::string>& inputs);

  /// The files a configuration names are inputs too.
  void protect(const files::Config& config, const std::string& config_path);

  /// Throws files::InputError. "" stands for a file that was not asked for.
  void add(const std::string& path);
  bool force() const { return force_; }

 private:
  bool force_;
  std::vector<std::string> inputs_;   // canonical
  std::vector<std::string> outputs_;  // canonical
};

/// Throws files::InputError unless `path` is a folder, or may become one, that is empty or may be
/// written over.
void check_folder(const std::string& path, bool force);

}  // namespace axelram::cli
