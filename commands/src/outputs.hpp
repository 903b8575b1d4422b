#pragma once

#include <string>
#include <vector>

#include "axelram/commands/config_file.hpp"

namespace axelram::commands {

/// read_any_config, which throws files::InputError for a bounded memory too.
ConfigFile read_config(const std::string& file_or_name);
/// The same of a macro that works alone, not in a cache: check_center() too.
ConfigFile read_macro_config(const std::string& file_or_name);
/// The same of a macro that the hardware is generated for; throws files::InputError for attention.
ConfigFile read_hardware_config(const std::string& file_or_name);

/// The files that a command will write, checked before long work: without `force` none may exist,
/// and none may be an input or another output.
class Outputs {
 public:
  Outputs(bool force, const std::vector<std::string>& inputs);

  /// Adds the files that a configuration names, or a file, to the inputs.
  void protect(const ConfigFile& file);
  void protect(const std::string& file);

  /// Throws files::InputError if the file is an input.
  void reject_input(const std::string& path) const;

  /// Throws files::InputError if the path is an input or another output. Looks at no file system.
  void claim(const std::string& path);

  /// claim() and files::check_output(). "": no such output.
  void add(const std::string& path);
  /// claim() and check_directory(). "": no such output.
  void add_directory(const std::string& path);
  bool force() const { return force_; }

 private:
  bool force_;
  std::vector<std::string> inputs_;   // canonical
  std::vector<std::string> outputs_;  // canonical
};

/// A directory that is created before the work whose results it receives, with its parents. The
/// destructor removes what was created and is still empty, unless keep() was called.
class NewDirectory {
 public:
  /// Throws files::EnvironmentError if it cannot be created or written. "": none.
  explicit NewDirectory(const std::string& path);
  ~NewDirectory();
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

  void keep() { created_.clear(); }

 private:
  std::vector<std::string> created_;  // the innermost first
};

/// Throws files::InputError unless `path` is a new or an empty directory, or `force` is given and
/// it is a directory.
void check_directory(const std::string& path, bool force);

}  // namespace axelram::commands
