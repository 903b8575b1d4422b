#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "axelram/files/errors.hpp"
#include "axelram/files/unfinished.hpp"

namespace axelram::files {

/// Throws InputError if `path` cannot become an output file: it exists and `force` is false, it is
/// no regular file, or its directory does not exist; EnvironmentError if no file can be created in
/// its directory. Call it before long work; AtomicFile checks again.
void check_output(const std::string& path, bool force);

/// Gives the finished file `temporary` the name `target` in the same directory. Without `force` by
/// link(2), so that a file created by another process meanwhile is never overwritten. `path`: the
/// target as the caller knows it, for messages. Throws as AtomicFile.
void publish(const std::string& temporary, const std::string& target, const std::string& path,
             bool force);

/// A file that is written whole or not at all.
///
/// Bytes are written to a temporary file in the directory of `path`. commit() synchronises and
/// publishes it. Without commit() the temporary file is removed, by a signal too. Throws
/// InputError like check_output, EnvironmentError for file system errors (full, read-only).
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
  std::string path_;       ///< path of the caller, for messages
  std::string target_;     ///< symbolic links resolved
  std::string temporary_;  ///< empty once the file has its name
  std::optional<Unfinished> unfinished_;
  bool force_;
  int descriptor_ = -1;
};

/// Writes a whole file.
void write_file(const std::string& path, std::string_view content, bool force);

}  // namespace axelram::files
