#include "rtl/model/model_cache.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "axelram/files/errors.hpp"

namespace axelram::sim {
namespace {

namespace fs = std::filesystem;

/// Code from the cache is executed, so its user alone may write there. Throws
/// files::EnvironmentError.
void require_own(const fs::path& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0)
    throw files::EnvironmentError(path.string() + ": " + std::strerror(errno) +
                                  "; set AXELRAM_CACHE to a directory of yours");
  if (status.st_uid != ::geteuid())
    throw files::EnvironmentError(
        path.string() + ": belongs to another user; set AXELRAM_CACHE to a directory of yours");
  const mode_t others = S_IWGRP | S_IWOTH;
  if ((status.st_mode & others) == 0 || S_ISLNK(status.st_mode)) return;
  if (::chmod(path.c_str(), status.st_mode & 07777 & ~others) != 0)
    throw files::EnvironmentError(
        path.string() + ": others can write there; set AXELRAM_CACHE to another directory");
}

/// The section headers of a library are its end: a file that was cut has not all of them, and would
/// end the program as soon as it is loaded.
bool is_whole_library(const fs::path& path) {
  Elf64_Ehdr header = {};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  return file && !error && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_shoff < size &&
         size - header.e_shoff >= std::uintmax_t{header.e_shentsize} * header.e_shnum;
}

}  // namespace

void create_cache(const fs::path& cache) {
  std::error_code error;
  if (cache.has_parent_path()) fs::create_directories(cache.parent_path(), error);
  if (!error && fs::create_directory(cache, error))
    fs::permissions(cache, fs::perms::owner_all, error);
  if (error)
    throw files::EnvironmentError(cache.string() + ": cannot be created (" + error.message() +
                                  "); set AXELRAM_CACHE to a writable directory");
  require_own(fs::canonical(cache));
}

bool is_cached(const fs::path& folder, const fs::path& library) {
  if (!fs::exists(library)) return false;
  require_own(folder);
  require_own(library);
  return is_whole_library(library);
}

Lock::Lock(const fs::path& path) : file_(open(path.c_str(), O_CREAT | O_RDWR, 0666)) {
  int error = file_ < 0 ? errno : 0;
  while (error == 0 && flock(file_, LOCK_EX) != 0)
    if (errno != EINTR) error = errno;
  held_ = error == 0;
  if (held_ || error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL) return;
  const std::string why = std::strerror(error);
  if (file_ >= 0) close(file_);
  throw files::EnvironmentError(path.string() + ": cannot be locked (" + why +
                                "); set AXELRAM_CACHE to a writable directory");
}

Lock::~Lock() { close(file_); }

fs::path building_folder(const fs::path& folder, const Lock& lock) {
  std::string path = folder.string() + ".part";
  std::error_code error;
  if (lock.held()) {
    fs::remove_all(path, error);  // of a run that was ended
    return path;
  }
  path += "-XXXXXX";
  if (mkdtemp(path.data()) == nullptr)
    throw files::EnvironmentError(path + ": cannot be created (" + std::strerror(errno) +
                                  "); set AXELRAM_CACHE to a writable directory");
  return path;
}

void put_into_cache(const fs::path& scratch, const fs::path& folder, const fs::path& library) {
  std::error_code error;
  if (!is_cached(folder, library)) fs::remove_all(folder, error);
  fs::rename(scratch, folder, error);
  if (!error) return;
  if (!is_cached(folder, library))
    throw files::EnvironmentError(folder.string() + ": cannot be written (" + error.message() +
                                  "); set AXELRAM_CACHE to a writable directory");
  fs::remove_all(scratch, error);  // another process has built the same
}

}  // namespace axelram::sim
