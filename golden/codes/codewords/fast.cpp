#include <algorithm>

#include "axelram/bit_string.hpp"
#include "axelram/fast_codes.hpp"
#include "block_coder.hpp"

namespace axelram {
namespace {

std::size_t bytes_of(std::size_t bits) { return (bits + 7) / 8; }

/// Mask of the used bits in the last byte of a string of `bits` bits.
std::uint8_t last_byte_mask(std::size_t bits) {
  return static_cast<std::uint8_t>(0xFF >> (7 - (bits + 7) % 8));
}

/// One block of data, codewords or statuses.
class Block {
 public:
  std::uint8_t* data() { return bytes_; }
  /// Zeros from bit `bits` to the end of its byte.
  void clear_from(std::size_t bits) {
    if (bits % 8 != 0) bytes_[bits / 8] &= last_byte_mask(bits);
  }
  /// Copies a string shorter than `size` bytes and appends zeros: words of zeros are clean.
  void assign(const std::uint8_t* from, std::size_t bits, std::size_t size) {
    std::fill_n(bytes_, size, std::uint8_t{0});
    std::copy_n(from, bytes_of(bits), bytes_);
    clear_from(bits);
  }

 private:
  std::uint8_t bytes_[kMaxBlockBytes];  // block coders read and write whole blocks
};

std::size_t data_block_bytes(const CodeTables& t) {
  return t.coder.block_words * static_cast<std::size_t>(t.k) / 8;
}
std::size_t code_block_bytes(const CodeTables& t) {
  return t.coder.block_words * static_cast<std::size_t>(t.n) / 8;
}

/// Division of a string of `bits` bits into blocks.
struct Layout {
  Layout(const CodeTables& t, std::size_t bits)
      : blocks(bits / (8 * data_block_bytes(t))),
        data(blocks * data_block_bytes(t)),
        codewords(blocks * code_block_bytes(t)),
        statuses(blocks * status_bytes(t.coder.block_words)),
        tail_bits(bits - 8 * data),
        tail_words((tail_bits + static_cast<std::size_t>(t.k) - 1) / static_cast<std::size_t>(t.k)),
        tail_code_bits(tail_words * static_cast<std::size_t>(t.n)),
        words(blocks * t.coder.block_words + tail_words) {}

  std::size_t blocks;                     ///< whole blocks
  std::size_t data, codewords, statuses;  ///< bytes of the whole blocks
  std::size_t tail_bits, tail_words, tail_code_bits;
  std::size_t words;
};

/// Replaces corrected words in a block of `code_bits` bits; uncorrectable words stay.
void correct_block(const CodeTables& t, std::uint8_t* codewords, std::size_t code_bits,
                   ErrorCounts* errors) {
  Block received;
  Block data;
  Block statuses;
  Block found;
  received.assign(codewords, code_bits, code_block_bytes(t));
  const ErrorCounts before = *errors;
  t.coder.decode(t, received.data(), 1, data.data(), statuses.data(), errors);
  if (errors->corrected + errors->parity_only == before.corrected + before.parity_only) return;
  t.coder.encode(t, data.data(), 1, found.data());
  const auto n = static_cast<std::size_t>(t.n);
  const auto k = static_cast<std::size_t>(t.k);
  for (std::size_t j = 0; errors->detected != before.detected && j < code_bits / n; ++j) {
    if (status_at(statuses.data(), j) != WordStatus::detected) continue;
    write_bits(found.data(), j * n, t.k, read_bits(received.data(), j * n, t.k));
    write_bits(found.data(), j * n + k, t.n - t.k,
               read_bits(received.data(), j * n + k, t.n - t.k));
  }
  if (code_bits % 8 != 0) {
    const std::uint8_t behind = codewords[code_bits / 8] & ~last_byte_mask(code_bits) & 0xFF;
    found.data()[code_bits / 8] |= behind;
  }
  std::copy_n(found.data(), bytes_of(code_bits), codewords);
}

}  // namespace

BulkCode::BulkCode(const Code& code, SimdLevel level) {
  const auto tables = std::make_shared<CodeTables>();
  derive_tables(code, level, tables.get());
  tables_ = tables;
}

void BulkCode::encode(const std::uint8_t* data, std::size_t bits, std::uint8_t* codewords) const {
  const Layout layout(*tables_, bits);
  const BlockCoder& coder = tables_->coder;
  if (layout.blocks != 0) coder.encode(*tables_, data, layout.blocks, codewords);
  if (layout.tail_bits == 0) return;
  Block tail;
  Block coded;
  tail.assign(data + layout.data, layout.tail_bits, data_block_bytes(*tables_));
  coder.encode(*tables_, tail.data(), 1, coded.data());
  std::copy_n(coded.data(), bytes_of(layout.tail_code_bits), codewords + layout.codewords);
}

DecodeCounts BulkCode::decode(const std::uint8_t* codewords, std::size_t bits, std::uint8_t* data,
                              std::uint8_t* statuses) const {
  const Layout layout(*tables_, bits);
  const BlockCoder& coder = tables_->coder;
  ErrorCounts errors = {};
  if (layout.blocks != 0) coder.decode(*tables_, codewords, layout.blocks, data, statuses, &errors);
  if (layout.tail_bits != 0) {
    Block tail;
    Block decoded;
    Block tail_statuses;
    tail.assign(codewords + layout.codewords, layout.tail_code_bits, code_block_bytes(*tables_));
    coder.decode(*tables_, tail.data(), 1, decoded.data(), tail_statuses.data(), &errors);
    decoded.clear_from(layout.tail_bits);
    std::copy_n(decoded.data(), bytes_of(layout.tail_bits), data + layout.data);
    if (statuses != nullptr)
      std::copy_n(tail_statuses.data(), status_bytes(layout.tail_words),
                  statuses + layout.statuses);
  }
  const std::uint64_t dirty = errors.corrected + errors.parity_only + errors.detected;
  return {layout.words - dirty, errors.corrected, errors.parity_only, errors.detected};
}

std::uint64_t BulkCode::correct(std::uint8_t* codewords, std::size_t bits) const {
  const Layout layout(*tables_, bits);
  const std::size_t block = code_block_bytes(*tables_);
  ErrorCounts errors = {};
  for (std::size_t at = 0; at < layout.codewords; at += block)
    correct_block(*tables_, codewords + at, 8 * block, &errors);
  if (layout.tail_bits != 0)
    correct_block(*tables_, codewords + layout.codewords, layout.tail_code_bits, &errors);
  return errors.corrected + errors.parity_only;
}

}  // namespace axelram
