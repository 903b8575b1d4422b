#include "common/check_pages.hpp"

#include <cstdint>

#include "axelram/kernels/device.hpp"

namespace axelram::kernels {
namespace {

const char* name_of(RowKind kind) {
  switch (kind) {
    case RowKind::fp16:
      return "FP16 rows";
    case RowKind::records:
      return "records";
    case RowKind::codewords:
      return "codewords";
  }
  return "unknown rows";
}

bool misaligned(const void* address, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(address) % to != 0;
}

}  // namespace

std::string text_of(const Pages& p) {
  std::string text =
      std::to_string(p.heads) + " heads of " + std::to_string(p.head_dim) + ", " + name_of(p.kind);
  if (p.kind == RowKind::records) text += " of " + std::to_string(p.index_bits) + " bits";
  if (p.second_bits != 0)
    text += std::string(p.split ? " and, split, " : " and ") + std::to_string(p.second_bits);
  return text + ", pages of " + std::to_string(p.page_tokens) + " tokens";
}

void check_pages(const std::string& kernel, const Pages& p) {
  const auto reject = [&](const std::string& why) {
    throw DeviceError(kernel + "(" + text_of(p) + "): " + why);
  };
  if (p.head_dim != 32 && p.head_dim != 64 && p.head_dim != 128 && p.head_dim != 256)
    reject("head_dim must be 32, 64, 128 or 256");
  if (p.heads < 1) reject("there must be a head");
  if (p.page_tokens < 1 || p.page_tokens % kTileTokens != 0)
    reject("page_tokens must be a multiple of 32");
  if (p.second_bits != 0) {
    if (p.kind != RowKind::records) reject("only records have two parts");
    if (p.index_bits < 1 || p.index_bits > 4 || p.second_bits < 1 || p.second_bits > 4)
      reject("index_bits and second_bits must be 1 to 4");
    if (p.part_dim() < 32) reject("a tile of a split needs a head_dim of 64 or more");
  } else if (p.kind == RowKind::records && (p.index_bits < 2 || p.index_bits > 4)) {
    reject("index_bits must be 2, 3 or 4");
  }
  if (p.kind != RowKind::records && p.row_stride < 1) reject("row_stride must be positive");
  const std::size_t least = p.kind == RowKind::records ? record_head_bytes(p)
                                                       : static_cast<std::size_t>(p.page_tokens) *
                                                             static_cast<std::size_t>(p.row_stride);
  if (p.head_bytes < least || p.head_bytes % 128 != 0)
    reject("head_bytes is " + std::to_string(p.head_bytes) +
           "; it must be a multiple of 128, at least " + std::to_string(least));
  if (misaligned(p.data, 128)) reject("data must be 128-byte aligned");
}

void check_rows(const std::string& kernel, const Pages& p, const void* rows,
                std::size_t row_bytes) {
  check_pages(kernel, p);
  const auto reject = [&](const std::string& right) {
    throw DeviceError(kernel + "(" + text_of(p) + "): rows of " + std::to_string(row_bytes) +
                      " bytes; " + right);
  };
  const auto d = static_cast<std::size_t>(p.head_dim);
  const std::size_t element_bytes = 2 * d;
  const auto record_bytes = static_cast<std::size_t>(p.record_bits() / 8);
  if (p.kind == RowKind::fp16 && row_bytes != element_bytes)
    reject(std::to_string(element_bytes) + " are right");
  if (p.kind == RowKind::records && row_bytes != record_bytes)
    reject(std::to_string(record_bytes) + " are right");
  if (p.kind != RowKind::records && row_bytes > static_cast<std::size_t>(p.row_stride))
    reject("at most row_stride, " + std::to_string(p.row_stride) + ", fit");
  if (misaligned(rows, 16)) reject("they must be 16-byte aligned");
}

}  // namespace axelram::kernels
