#pragma once

#include <string>

#include "axelram/stress/folder.hpp"

namespace axelram::stress {

/// A folder that appears whole or not at all: filled under another name beside its own, which
/// commit() gives it. Without commit() nothing remains.
class NewFolder {
 public:
  explicit NewFolder(const Output& output);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  std::string at(const std::string& name) const { return temporary_ + "/" + name; }
  /// Replaces what an earlier run wrote. Throws files::InputError where somebody else was faster,
  /// files::EnvironmentError.
  void commit();

 private:
  std::string path_;       // as the user wrote it
  std::string target_;     // canonical
  std::string temporary_;  // empty once it has its name
};

}  // namespace axelram::stress
