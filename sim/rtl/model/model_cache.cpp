#include "rtl/model/model_cache.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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
  if (file_ < 0 || flock(file_, LOCK_EX) != 0)
    throw files::EnvironmentError(path.string() + ": cannot be locked; is the folder writable?");
}

Lock::~Lock() { close(file_); }

}  // namespace axelram::sim
