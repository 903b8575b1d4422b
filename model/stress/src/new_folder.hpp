#pragma once

#include <functional>
#include <optional>
#include <string>

#include "axelram/files/unfinished.hpp"
#include "axelram/stress/folder.hpp"

namespace axelram::stress {

/// A folder that is written whole or not at all: filled under a temporary name and renamed by
/// commit(). Without commit() nothing remains, not after a signal either.
class NewFolder {
 public:
  explicit NewFolder(const Output& output);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Runs what writes the files. An error about one of them names the folder of the user, not the
  /// temporary one.
  void fill(const std::function<void()>& work);

  std::string at(const std::string& name) const { return temporary_ + "/" + name; }
  /// Replaces the folder of an earlier run. Throws files::InputError if another process created it,
  /// files::EnvironmentError.
  void commit();

 private:
  std::string path_;       // as the user wrote it
  std::string target_;     // canonical
  std::string temporary_;  // empty after commit()
  std::optional<files::Unfinished> unfinished_;
};

}  // namespace axelram::stress
