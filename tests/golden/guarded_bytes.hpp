#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "check.hpp"

#ifdef __unix__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace fast_test {

/// Bytes right before memory that must not be read.
class GuardedBytes {
 public:
  explicit GuardedBytes(const std::vector<std::uint8_t>& bytes) {
#ifdef __unix__
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t usable = (bytes.size() / page + 1) * page;
    size_ = usable + page;
    map_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(map_ != MAP_FAILED);
    std::uint8_t* guard = static_cast<std::uint8_t*>(map_) + usable;
    REQUIRE(mprotect(guard, page, PROT_NONE) == 0);
    data_ = guard - bytes.size();
#else
    copy_.reset(new std::uint8_t[bytes.size()]);
    data_ = copy_.get();
#endif
    std::copy(bytes.begin(), bytes.end(), data_);
  }
  ~GuardedBytes() {
#ifdef __unix__
    munmap(map_, size_);
#endif
  }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  const std::uint8_t* data() const { return data_; }

 private:
#ifdef __unix__
  void* map_ = nullptr;
  std::size_t size_ = 0;
#else
  std::unique_ptr<std::uint8_t[]> copy_;
#endif
  std::uint8_t* data_ = nullptr;
};

}  // namespace fast_test
