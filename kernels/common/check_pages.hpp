#pragma once

#include <string>

#include "axelram/kernels/pages.hpp"

namespace axelram::kernels {

/// "8 heads of 128, records of 3 bits, pages of 64 tokens"
std::string text_of(const Pages& pages);

inline int log2_of(int head_dim) {
  int log2 = 0;
  while (1 << log2 < head_dim) ++log2;
  return log2;
}

/// Throws DeviceError, naming the kernel, for pages that contradict themselves.
void check_pages(const std::string& kernel, const Pages& pages);

/// Also for rows of another size than the pages hold, or not 16-byte aligned.
void check_rows(const std::string& kernel, const Pages& pages, const void* rows,
                std::size_t row_bytes);

}  // namespace axelram::kernels
