#include "read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "axelram/files/errors.hpp"
#include "messages.hpp"

namespace axelram::files {
namespace {

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

[[noreturn]] void fail_to_open(const std::string& path, int error) {
  const std::string where = printable(path) + ": ";
  if (error == ENOENT || error == ENOTDIR) throw InputError(where + "no such file; check the path");
  if (error == EMFILE || error == ENFILE || error == ENOMEM)
    throw EnvironmentError(where + std::strerror(error) + "; close other files or programs");
  throw InputError(where + std::strerror(error) + "; name a file that can be read");
}

}  // namespace

std::vector<std::uint8_t> read_file(const std::string& path, std::size_t limit) {
  // An embedded NUL would silently name another file.
  if (path.empty() || path.find('\0') != std::string::npos) fail_to_open(path, ENOENT);
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.value < 0) fail_to_open(path, errno);
  struct stat status = {};
  if (::fstat(file.value, &status) != 0) fail_to_open(path, errno);
  if (S_ISDIR(status.st_mode)) fail_to_open(path, EISDIR);
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
    throw InputError(printable(path) + ": a device; name a file or a pipe");

  const auto too_long = [&] {
    return InputError(printable(path) + ": longer than " + std::to_string(limit) +
                      " bytes; such a file is a few lines long");
  };
  try {
    std::vector<std::uint8_t> content;
    // One byte more than expected, so that the end shows without a second allocation. A pipe, and a
    // file that grows or hides its size (as in /proc), is read in steps.
    std::size_t step = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 0;
    for (std::size_t used = 0;;) {
      if (used == content.size()) {
        const std::size_t room = used + std::max(step, std::max<std::size_t>(4096, used / 2));
        content.resize(limit == 0 ? room : std::min(room, limit + 1));
        step = 0;
      }
      const ssize_t got = ::read(file.value, content.data() + used, content.size() - used);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        throw EnvironmentError(printable(path) + ": " + std::strerror(errno) + "; reading failed");
      used += static_cast<std::size_t>(got);
      if (limit != 0 && used > limit) throw too_long();
      if (got == 0) {
        content.resize(used);
        return content;
      }
    }
  } catch (const std::bad_alloc&) {
    throw EnvironmentError(printable(path) + ": does not fit into memory; free some memory");
  } catch (const std::length_error&) {
    throw EnvironmentError(printable(path) + ": does not fit into memory; free some memory");
  }
}

}  // namespace axelram::files
