#pragma once

#include <filesystem>

namespace axelram::sim {

/// Creates the directory of compiled models if it does not exist; only its user may enter then.
/// Throws files::EnvironmentError, also if it belongs to another user.
void create_cache(const std::filesystem::path& cache);

/// True if the cache holds the library, whole. Throws files::EnvironmentError if it is of another
/// user: code from the cache is executed.
bool is_cached(const std::filesystem::path& folder, const std::filesystem::path& library);

/// Exclusive lock on a file, released by the destructor. A file system without locks gives none.
/// Throws files::EnvironmentError if the file cannot be opened.
class Lock {
 public:
  explicit Lock(const std::filesystem::path& path);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  bool held() const { return held_; }

 private:
  int file_;
  bool held_ = false;
};

/// The folder in which an entry of the cache is built: beside it, and without a lock one of this
/// call alone, since others may build the same at the same time.
std::filesystem::path building_folder(const std::filesystem::path& folder, const Lock& lock);

/// Gives a built folder its place, unless another process has filled it.
void put_into_cache(const std::filesystem::path& scratch, const std::filesystem::path& folder,
                    const std::filesystem::path& library);

}  // namespace axelram::sim
