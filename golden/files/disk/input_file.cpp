#include "input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <new>

#include "axelram/files/errors.hpp"
#include "axelram/files/file_bytes.hpp"
#include "axelram/files/mapped_file.hpp"
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

/// Closes the descriptor before the constructor throws.
[[noreturn]] void give_up(int descriptor, const std::string& path, int error) {
  ::close(descriptor);
  fail_to_open(path, error);
}

/// read(2) on the descriptors of OpenFile. A pipe whose first writer does not come within a while
/// ends like an empty file.
class Source {
 public:
  explicit Source(const OpenFile& file) : file_(file) {}

  ssize_t read(std::uint8_t* data, std::size_t bytes) {
    for (;;) {
      const ssize_t got = ::read(file_.descriptor(), data, bytes);
      if (got > 0) began_ = true;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) {  // a writer that writes later
        wait(-1);
      } else if (got == 0 && is_pipe() && !began_ && std::chrono::steady_clock::now() < latest_) {
        wait(20);
      } else {
        return got;
      }
    }
  }
  bool is_pipe() const { return S_ISFIFO(file_.status().st_mode); }

 private:
  void wait(int milliseconds) const {
    pollfd state = {file_.descriptor(), POLLIN, 0};
    ::poll(&state, 1, milliseconds);
  }

  const OpenFile& file_;
  bool began_ = false;
  std::chrono::steady_clock::time_point latest_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(2);
};

}  // namespace

OpenFile::OpenFile(const std::string& path) {
  // An embedded NUL would silently name another file.
  if (path.empty() || path.find('\0') != std::string::npos) fail_to_open(path, ENOENT);
  // A named pipe would wait here, without end, for a program that writes into it.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail_to_open(path, errno);
  if (::fstat(descriptor_, &status_) != 0) give_up(descriptor_, path, errno);
  if (S_ISDIR(status_.st_mode)) give_up(descriptor_, path, EISDIR);
  if (S_ISCHR(status_.st_mode) || S_ISBLK(status_.st_mode)) {
    ::close(descriptor_);
    throw InputError(printable(path) + ": a device; name a file or a pipe");
  }
}

OpenFile::~OpenFile() { ::close(descriptor_); }

std::vector<std::uint8_t> read_file(const std::string& path, std::size_t limit) {
  const OpenFile file(path);
  Source source(file);
  const auto too_long = [&] {
    return InputError(printable(path) + ": longer than " + std::to_string(limit) +
                      " bytes; a file of this kind is shorter");
  };
  try {
    std::vector<std::uint8_t> content;
    // One byte more than expected, so that the end shows without a second allocation. A pipe and a
    // file that grows or hides its size (as in /proc) are read in steps.
    std::size_t step =
        S_ISREG(file.status().st_mode) ? static_cast<std::size_t>(file.status().st_size) + 1 : 0;
    for (std::size_t used = 0;;) {
      if (used == content.size()) {
        const std::size_t size = used + std::max(step, std::max<std::size_t>(4096, used / 2));
        content.resize(limit == 0 ? size : std::min(size, limit + 1));
        step = 0;
      }
      const ssize_t got = source.read(content.data() + used, content.size() - used);
      if (got < 0)
        throw EnvironmentError(printable(path) + ": " + std::strerror(errno) + "; reading failed");
      used += static_cast<std::size_t>(got);
      if (limit != 0 && used > limit) throw too_long();
      if (got == 0 && used == 0 && source.is_pipe())
        throw InputError(printable(path) +
                         ": a pipe into which nothing was written; start its writer first");
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

MappedFile::MappedFile(const std::string& path) {
  const OpenFile file(path);
  if (!S_ISREG(file.status().st_mode))
    throw InputError(printable(path) + ": no regular file; it must be one to be mapped");
  size_ = static_cast<std::size_t>(file.status().st_size);
  if (size_ == 0) return;
  void* const place = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (place == MAP_FAILED)
    throw EnvironmentError(printable(path) + ": " + std::strerror(errno) + "; mapping failed");
  data_ = static_cast<const std::uint8_t*>(place);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
}

FileBytes::FileBytes(const std::string& path) {
  std::error_code error;  // opening reports it
  if (std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) > 0)
    mapped_.emplace(path);
  else
    read_ = read_file(path, 0);
}

std::string text_of_file(const std::string& path, std::size_t limit) {
  const std::vector<std::uint8_t> bytes = read_file(path, limit);
  return {bytes.begin(), bytes.end()};
}

}  // namespace axelram::files
