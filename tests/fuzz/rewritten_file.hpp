#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "require.hpp"

/// A file that is rewritten for each input, because a reader takes a path.
class RewrittenFile {
 public:
  RewrittenFile() : path((std::filesystem::temp_directory_path() / "axelram-XXXXXX").string()) {
    const int file = ::mkstemp(path.data());
    require(file >= 0, "a temporary file");
    ::close(file);
  }
  ~RewrittenFile() { std::filesystem::remove(path); }

  void write(const void* data, std::size_t size) const {
    std::ofstream(path, std::ios::binary)
        .write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  }

  std::string path;
};
