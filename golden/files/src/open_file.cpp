#include "open_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

[[noreturn]] void fail_to_open(const std::string& path, int error) {
  const std::string where = printable(path) + ": ";
  if (error == ENOENT || error == ENOTDIR) throw InputError(where + "no such file; check the path");
  if (error == EMFILE || error == ENFILE || error == ENOMEM)
    throw EnvironmentError(where + std::strerror(error) + "; close other files or programs");
  throw InputError(where + std::strerror(error) + "; name a file that can be read");
}

/// Closes what was opened where the constructor throws.
[[noreturn]] void give_up(int descriptor, const std::string& path, int error) {
  ::close(descriptor);
  fail_to_open(path, error);
}

}  // namespace

OpenFile::OpenFile(const std::string& path) {
  // An embedded NUL would silently name another file.
  if (path.empty() || path.find('\0') != std::string::npos) fail_to_open(path, ENOENT);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail_to_open(path, errno);
  if (::fstat(descriptor_, &status_) != 0) give_up(descriptor_, path, errno);
  if (S_ISDIR(status_.st_mode)) give_up(descriptor_, path, EISDIR);
  if (S_ISCHR(status_.st_mode) || S_ISBLK(status_.st_mode)) {
    ::close(descriptor_);
    throw InputError(printable(path) + ": a device; name a file or a pipe");
  }
}

OpenFile::~OpenFile() { ::close(descriptor_); }

}  // namespace axelram::files
