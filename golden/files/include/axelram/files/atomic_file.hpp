#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "axelram/files/errors.hpp"

namespace axelram::files {

/// Throws InputError if `path` cannot become an output file: it exists and `force` is false, it is
/// no regular file, or its folder does not exist. Ask before long work; AtomicFile asks again.
void check_output(const std::string& path, bool force);

/// A file that appears whole or not at all.
///
/// Bytes go to a temporary file in the folder of `path`; commit() makes them durable (fsync) and
/// gives them their name. Without `force` the name is taken with link(2), so that a file which
/// somebody else creates meanwhile is never overwritten. Without commit() nothing remains.
/// Errors: InputError as in check_output, EnvironmentError from the file system (full, read-only).
class AtomicFile {
 public:
  AtomicFile(const std::string& path, bool force);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  std::string path_;       ///< as the user wrote it, for messages
  std::string target_;     ///< symbolic links resolved
  std::string temporary_;  ///< empty once the file has its name
  bool force_;
  int descriptor_ = -1;
};

/// The whole content at once.
void write_file(const std::string& path, std::string_view content, bool force);

}  // namespace axelram::files
