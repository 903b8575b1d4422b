#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace axelram::files {

/// A file or pipe open for reading, without waiting.
class OpenFile {
 public:
  /// Throws InputError for a path that cannot be read (missing, a directory, a device),
  /// EnvironmentError for a lack of memory or descriptors.
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

/// Content of a file or pipe. Throws InputError if it cannot be opened, is longer than `limit`
/// bytes (0: no limit) or is a pipe without a writer, EnvironmentError if reading fails.
std::vector<std::uint8_t> read_file(const std::string& path, std::size_t limit);

/// The same as text.
std::string text_of_file(const std::string& path, std::size_t limit);

}  // namespace axelram::files
