#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axelram/files/mapped_file.hpp"

namespace axelram::files {

/// The bytes of a file that is read once: a regular one is mapped, a pipe is read to its end.
class FileBytes {
 public:
  /// Throws as MappedFile does, and InputError for a pipe into which nothing was written.
  explicit FileBytes(const std::string& path);

  const std::uint8_t* data() const { return mapped_ ? mapped_->data() : read_.data(); }
  std::size_t size() const { return mapped_ ? mapped_->size() : read_.size(); }
  std::string_view text() const { return {reinterpret_cast<const char*>(data()), size()}; }

 private:
  std::optional<MappedFile> mapped_;
  std::vector<std::uint8_t> read_;
};

}  // namespace axelram::files
