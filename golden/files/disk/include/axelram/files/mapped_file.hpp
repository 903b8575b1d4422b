#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "axelram/files/errors.hpp"

namespace axelram::files {

/// A regular file as read-only memory. Pages are read when they are accessed. If the file is
/// shortened meanwhile, the program ends with SIGBUS.
class MappedFile {
 public:
  /// Throws InputError (no such file, no regular file), EnvironmentError (out of memory).
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace axelram::files
