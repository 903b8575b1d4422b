#include "axelram/files/mapped_file.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "axelram/files/messages.hpp"
#include "open_file.hpp"

namespace axelram::files {

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

}  // namespace axelram::files
