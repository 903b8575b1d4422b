#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "axelram/files/unfinished.hpp"

namespace axelram::files {

/// The folders that a command writes, and how it knows its own again.
struct FolderKind {
  std::string command;             ///< for messages: "which COMMAND did not write"
  std::vector<std::string> files;  ///< names of all files that it may write, the record's too
  std::string record;  ///< of them, the JSON object that marks a folder as the command's
  std::string key;     ///< its key that says so
};

/// Destination of a command, and the inputs that it must not overwrite.
struct OutputFolder {
  std::string folder;
  bool force = false;               ///< replaces a folder of the same kind
  std::vector<std::string> inputs;  ///< files and folders that are read
};

/// Throws InputError unless `output.folder` is new or empty in a folder that exists, or one of this
/// kind and `force` is given; also if it is, contains or lies in an input; EnvironmentError if no
/// folder can be created there. Call it before long work; NewFolder checks again.
void check_folder(const FolderKind& kind, const OutputFolder& output);

/// A folder that is written whole or not at all: filled under a temporary name and renamed by
/// commit(). Without commit() nothing remains, not after a signal either.
class NewFolder {
 public:
  NewFolder(FolderKind kind, const OutputFolder& output);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  /// Runs what writes the files. An error about one of them names the folder of the user, not the
  /// temporary one.
  void fill(const std::function<void()>& work);

  std::string at(const std::string& name) const { return temporary_ + "/" + name; }
  /// Replaces the folder of an earlier run. Throws InputError if another process created it,
  /// EnvironmentError.
  void commit();

 private:
  FolderKind kind_;
  std::string path_;       // as the user wrote it
  std::string target_;     // canonical
  std::string temporary_;  // empty after commit()
  std::optional<Unfinished> unfinished_;
};

}  // namespace axelram::files
