#pragma once

#include <sys/stat.h>

#include <string>

namespace axelram::files {

/// A file or pipe open for reading.
class OpenFile {
 public:
  /// Throws InputError for what cannot be read (none there, a folder, a device), EnvironmentError
  /// for what the machine lacks.
  explicit OpenFile(const std::string& path);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return descriptor_; }
  const struct stat& status() const { return status_; }

 private:
  int descriptor_ = -1;
  struct stat status_ = {};
};

}  // namespace axelram::files
