#pragma once

#include <optional>
#include <string>

#include "axelram/files/unfinished.hpp"

namespace axelram::files {

/// A new folder in the folder for temporary files. The destructor removes it, and so does a signal
/// that ends the program.
class ScratchFolder {
 public:
  /// Throws EnvironmentError if it cannot be created.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  std::optional<Unfinished> watch_;
};

}  // namespace axelram::files
