#pragma once

#include <filesystem>

namespace axelram::sim {

/// Creates the directory of compiled models if it does not exist; only its user may enter then.
/// Throws files::EnvironmentError, also if it belongs to another user.
void create_cache(const std::filesystem::path& cache);

/// True if the cache holds the library, whole. Throws files::EnvironmentError if it is of another
/// user: code from the cache is executed.
bool is_cached(const std::filesystem::path& folder, const std::filesystem::path& library);

/// Exclusive lock on a file, released by the destructor. Throws files::EnvironmentError.
class Lock {
 public:
  explicit Lock(const std::filesystem::path& path);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

}  // namespace axelram::sim
