#include "axelram/files/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

std::string parent_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

InputError exists(const std::string& path) {
  return InputError(printable(path) +
                    ": exists already; give --force to overwrite it, or another name");
}

/// InputError for a wrong path, EnvironmentError for all other failures.
[[noreturn]] void fail(const std::string& path, int error) {
  const std::string what = printable(path) + ": " + std::strerror(error);
  struct stat parent = {};
  const bool has_parent = ::stat(parent_directory(path).c_str(), &parent) == 0;
  if (error == ENOENT && has_parent)  // a file system of the kernel's
    throw EnvironmentError(printable(path) + ": no file can be created there; write elsewhere");
  if (error == ENOENT || error == ENOTDIR)
    throw InputError(printable(path) + ": the folder " + in_quotes(parent_directory(path)) +
                     " does not exist; create it first");
  if (error == ENAMETOOLONG || error == ELOOP || error == EISDIR)
    throw InputError(what + "; choose another name");
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    throw EnvironmentError(what + "; free some space or write elsewhere");
  if (error == EACCES || error == EPERM || error == EROFS)
    throw EnvironmentError(what + "; write to a folder that is yours");
  throw EnvironmentError(what + "; the file could not be written");
}

/// Checks like check_output. Returns the path, with symbolic links resolved if the file exists.
std::string checked_target(const std::string& path, bool force) {
  if (path.empty() || path.find('\0') != std::string::npos)
    throw InputError(in_quotes(path) + ": no file name; name the file to write");
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode))
      throw InputError(printable(path) + ": is " +
                       (S_ISDIR(status.st_mode) ? "a folder" : "no regular file") +
                       "; name a file to write");
    if (!force) throw exists(path);
    std::error_code error;
    const std::filesystem::path target = std::filesystem::canonical(path, error);
    if (error) fail(path, error.value());
    return target.string();
  }
  if (errno != ENOENT) fail(path, errno);
  if (path.back() == '/')
    throw InputError(printable(path) + ": is a folder that does not exist; name a file to write");
  if (::lstat(path.c_str(), &status) == 0)
    throw InputError(printable(path) + ": is a symbolic link to nothing; name a file to write");
  if (::stat(parent_directory(path).c_str(), &status) != 0) fail(path, errno);
  return path;
}

/// Creates a file with a unique name in the directory of `target`, watched before it exists.
int create_temporary(const std::string& target, std::string& name,
                     std::optional<Unfinished>& unfinished) {
  static std::atomic<unsigned> counter{0};
  for (;;) {
    name = parent_directory(target) + "/.axelram-" + std::to_string(::getpid()) + "-" +
           std::to_string(counter++) + ".tmp";
    unfinished.emplace(name);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const int error = errno;
    if (descriptor >= 0) return descriptor;
    unfinished.reset();
    errno = error;
    if (error != EEXIST) return descriptor;
  }
}

/// Synchronises the directory, so that the new name survives a power cut.
void sync_folder(const std::string& path) {
  const int folder = ::open(parent_directory(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

}  // namespace

void check_output(const std::string& path, bool force) { const AtomicFile file(path, force); }

void publish(const std::string& temporary, const std::string& target, const std::string& path,
             bool force) {
  if (force) {
    if (std::rename(temporary.c_str(), target.c_str()) != 0) fail(path, errno);
    return;
  }
  if (::link(temporary.c_str(), target.c_str()) != 0) {
    if (errno == EEXIST) throw exists(path);
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS)
      throw EnvironmentError(printable(path) +
                             ": this file system has no hard links; --force does without");
    fail(path, errno);
  }
  ::unlink(temporary.c_str());
}

AtomicFile::AtomicFile(const std::string& path, bool force)
    : path_(path), target_(checked_target(path, force)), force_(force) {
  descriptor_ = create_temporary(target_, temporary_, unfinished_);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail(path_, errno);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_, errno);
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  // EINVAL: the file system cannot synchronise.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(path_, errno);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail(path_, errno);
  publish(temporary_, target_, path_, force_);
  temporary_.clear();
  unfinished_.reset();
  sync_folder(target_);
}

void write_file(const std::string& path, std::string_view content, bool force) {
  AtomicFile file(path, force);
  file.write(content);
  file.commit();
}

}  // namespace axelram::files
