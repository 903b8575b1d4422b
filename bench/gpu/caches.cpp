#include "caches.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "axelram/codebook.hpp"
#include "axelram/half.hpp"
#include "axelram/kernels/faults.hpp"
#include "axelram/kernels/store.hpp"
#include "axelram/record.hpp"
#include "timing.hpp"

namespace bench {

using namespace axelram::kernels;

namespace {

constexpr std::int32_t kPageTokens = 64;
constexpr std::size_t kUniquePages = 16;  ///< the others are copies of these

std::int32_t pages_of(std::size_t context) {
  return static_cast<std::int32_t>((context + kPageTokens - 1) / kPageTokens);
}

std::size_t page_bytes(const Pages& pages) {
  return static_cast<std::size_t>(pages.heads) * pages.head_bytes;
}

/// Copies of the first `have` bytes until `all` are full.
void fill_by_copies(Stream& stream, std::uint8_t* memory, std::size_t have, std::size_t all) {
  while (have < all) {
    const std::size_t next = std::min(have, all - have);
    copy_on_device(stream, memory + have, memory, next);
    have += next;
  }
}

/// Natural records: any index, norms near that of a vector of N(0, 1).
std::vector<std::uint8_t> random_records(std::size_t rows, const Pages& pages) {
  const auto bytes = static_cast<std::size_t>(pages.record_bits() / 8);
  std::vector<std::uint8_t> records = random_bytes(rows * bytes, 7);
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> norm(8, 16);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint16_t half = axelram::double_to_half(norm(random));
    for (int part = 1; part <= pages.parts(); ++part)
      std::memcpy(records.data() + (row + 1) * bytes - 2 * static_cast<std::size_t>(part), &half,
                  2);
  }
  return records;
}

void store_unique_records(Stream& stream, const Pages& pages, std::size_t count) {
  const std::size_t tokens = count * kPageTokens;
  const std::vector<std::uint8_t> rows =
      random_records(tokens * static_cast<std::size_t>(pages.heads), pages);
  std::vector<std::int32_t> table(count), sequence(tokens, 0), position(tokens);
  std::iota(table.begin(), table.end(), 0);
  std::iota(position.begin(), position.end(), 0);
  const Buffer<std::int32_t> device_table(stream, table), device_sequence(stream, sequence),
      device_position(stream, position);
  const Buffer<std::uint8_t> device_rows(stream, rows);
  store_rows(stream, pages, {device_table.data(), 1, static_cast<std::int32_t>(count)},
             {device_sequence.data(), device_position.data(), tokens}, device_rows.data(),
             static_cast<std::size_t>(pages.record_bits() / 8));
  stream.synchronize();
}

/// Pages of a multiple of 16 tokens at strides of 8 bytes are rows without gaps.
void store_unique_codewords(Stream& stream, const Pages& pages, const DeviceCode& code,
                            std::size_t count) {
  const std::size_t rows = count * static_cast<std::size_t>(pages.heads) * kPageTokens;
  const auto record = static_cast<std::size_t>(pages.record_bits() / 8);
  const auto stride = static_cast<std::size_t>(pages.row_stride);
  const Buffer<std::uint8_t> records(stream, random_records(rows, pages));
  encode_rows(stream, code, records.data(), rows, 8 * record, record, pages.data, stride);
  flip_bits(stream, axelram::FaultSite{}, axelram::fault_threshold(kErrorRate), pages.data, rows,
            8 * code.code().codeword_bytes(8 * record), stride, nullptr);
  stream.synchronize();
}

}  // namespace

std::vector<std::uint16_t> random_elements(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::uint16_t> elements(count);
  for (std::uint16_t& element : elements) element = axelram::double_to_half(normal(random));
  return elements;
}

std::vector<std::uint8_t> random_bytes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

Buffer<std::uint8_t> repeated(Stream& stream, const std::vector<std::uint8_t>& pattern,
                              std::size_t bytes) {
  Buffer<std::uint8_t> memory(bytes);
  const std::size_t have = std::min(bytes, pattern.size());
  copy_to_device(stream, memory.data(), pattern.data(), have);
  if (have > 0) fill_by_copies(stream, memory.data(), have, bytes);
  stream.synchronize();
  return memory;
}

Buffer<std::uint16_t> many_elements(Stream& stream, std::size_t count, std::uint64_t seed) {
  constexpr std::size_t kUnique = 1 << 19;
  Buffer<std::uint16_t> memory(count);
  const std::vector<std::uint16_t> some = random_elements(std::min(count, kUnique), seed);
  memory.upload(stream, some);
  if (count > 0)
    fill_by_copies(stream, reinterpret_cast<std::uint8_t*>(memory.data()), 2 * some.size(),
                   2 * count);
  stream.synchronize();
  return memory;
}

MacroConstants paper_constants(int index_bits) {
  axelram::Parameters parameters;
  parameters.index_bits = index_bits;
  return macro_constants(parameters, axelram::codebook_rom(parameters));
}

axelram::Parameters unbiased_parameters(int index_bits, int states) {
  axelram::Parameters parameters;
  parameters.index_bits = index_bits;
  parameters.scale = axelram::ScaleKind::unbiased;
  if (states != 0) {
    parameters.kind = axelram::QuantizerKind::trellis;
    parameters.states = states;
  }
  return parameters;
}

MacroConstants unbiased_constants(int index_bits, int states) {
  const axelram::Parameters parameters = unbiased_parameters(index_bits, states);
  return macro_constants(parameters, axelram::codebook_rom(parameters));
}

axelram::Parameters prod_parameters(int index_bits) {
  axelram::Parameters parameters;
  parameters.kind = axelram::QuantizerKind::prod;
  parameters.index_bits = index_bits;
  return parameters;
}

axelram::Parameters split_parameters(int high, int low, int states) {
  axelram::Parameters parameters = unbiased_parameters(3, states);
  parameters.split_high = high;
  parameters.split_low = low;
  return parameters;
}

axelram::Parameters balanced(axelram::Parameters parameters) {
  parameters.balanced = true;
  return parameters;
}

std::vector<std::int8_t> every_exponent(const Shape& shape) {
  std::vector<std::int8_t> exponents(shape.heads * shape.d);
  for (std::size_t i = 0; i < exponents.size(); ++i)
    exponents[i] = static_cast<std::int8_t>(static_cast<int>(i * 5 % 16) - 8);
  return exponents;
}

std::size_t RowFormat::bytes(std::size_t d) const {
  if (kind == RowKind::fp16) return 2 * d;
  Pages pages;
  pages.head_dim = static_cast<std::int32_t>(d);
  pages.index_bits = index_bits;
  pages.second_bits = second_bits;
  pages.split = split;
  const auto record = static_cast<std::size_t>(pages.record_bits() / 8);
  return kind == RowKind::records ? record : code->code().codeword_bytes(8 * record);
}

std::size_t RowFormat::stride(std::size_t d) const { return (bytes(d) + 7) / 8 * 8; }

PagedRows::PagedRows(Stream& stream, const RowFormat& format, bool values, const Shape& shape,
                     std::size_t sets) {
  const auto d = static_cast<std::int32_t>(shape.d);
  pages_.kind = format.kind;
  pages_.values = values;
  pages_.heads = static_cast<std::int32_t>(shape.heads);
  pages_.head_dim = d;
  pages_.index_bits = format.index_bits;
  pages_.second_bits = format.second_bits;
  pages_.split = format.split;
  pages_.page_tokens = kPageTokens;
  pages_.row_stride = static_cast<std::int32_t>(format.stride(shape.d));
  pages_.head_bytes = format.kind == RowKind::records
                          ? record_head_bytes(pages_)
                          : (format.stride(shape.d) * kPageTokens + 127) / 128 * 128;
  const std::size_t pages = sets * shape.batch * static_cast<std::size_t>(pages_of(shape.context));
  const std::size_t unique = std::min(pages, kUniquePages);
  memory_ = Buffer<std::uint8_t>(pages * page_bytes(pages_));
  pages_.data = memory_.data();
  const std::size_t have = unique * page_bytes(pages_);
  if (format.kind == RowKind::fp16) {
    const std::vector<std::uint16_t> elements = random_elements(have / 2, values ? 2 : 1);
    copy_to_device(stream, memory_.data(), elements.data(), have);
  } else if (format.kind == RowKind::records) {
    store_unique_records(stream, pages_, unique);
  } else {
    store_unique_codewords(stream, pages_, *format.code, unique);
  }
  fill_by_copies(stream, memory_.data(), have, memory_.size());
  stream.synchronize();
}

PagedTables::PagedTables(Stream& stream, const Shape& shape, std::size_t sets)
    : shape_(shape), max_pages_(pages_of(shape.context)) {
  std::vector<std::int32_t> table(sets * shape.batch * static_cast<std::size_t>(max_pages_));
  std::iota(table.begin(), table.end(), 0);
  std::shuffle(table.begin(), table.end(), std::mt19937_64(9));
  table_ = Buffer<std::int32_t>(stream, table);
}

BlockTable PagedTables::of_set(std::size_t set) const {
  const std::size_t first = set * shape_.batch * static_cast<std::size_t>(max_pages_);
  return {table_.data() + first, static_cast<std::int32_t>(shape_.batch), max_pages_};
}

std::size_t sets_beyond_cache(std::size_t bytes_of_set) {
  constexpr std::size_t kMost = 1024;
  const std::size_t wanted = 4 * cache_bytes();
  return std::clamp<std::size_t>(wanted / std::max<std::size_t>(bytes_of_set, 1) + 1, 1, kMost);
}

}  // namespace bench
