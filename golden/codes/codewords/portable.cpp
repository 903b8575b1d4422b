#include <cstring>

#include "block_coder.hpp"
#include "portable_bytes.hpp"

namespace axelram::portable {
namespace {

constexpr int kBlockWords = 32;
constexpr std::size_t kBlockBytes = kBlockWords * kMaxCodewordBits / 8;
constexpr std::size_t kSlack = 16;  // for loads and stores of eight bytes at any bit

std::uint64_t mask_of(int count) { return ~std::uint64_t{0} >> (64 - count); }

/// `count` bits from bit `at` on. Without padding only a field of up to 57 bits is one load.
std::uint64_t get(const std::uint8_t* bytes, int at, int count) {
  std::uint64_t value = load<8>(bytes + at / 8) >> (at % 8);
  if (count > 57 && at % 8 != 0) value |= std::uint64_t{bytes[at / 8 + 8]} << (64 - at % 8);
  return value & mask_of(count);
}

/// Fields one after the other.
class Writer {
 public:
  explicit Writer(std::uint8_t* bytes) : next_(bytes) {}
  void put(std::uint64_t value, int count) {
    held_ |= value << filled_;
    if (filled_ + count < 64) {
      filled_ += count;
      return;
    }
    store<8>(next_, held_);
    next_ += 8;
    held_ = filled_ == 0 ? 0 : value >> (64 - filled_);
    filled_ += count - 64;
  }
  void flush() { store<8>(next_, held_); }

 private:
  std::uint8_t* next_;
  std::uint64_t held_ = 0;
  int filled_ = 0;
};

/// n and k, known to the compiler for the usual memory code.
template <int bits, int data_bits>
struct FixedShape {
  explicit FixedShape(const CodeTables&) {}
  static constexpr int n = bits;
  static constexpr int k = data_bits;
};
struct AnyShape {
  explicit AnyShape(const CodeTables& tables) : n(tables.n), k(tables.k) {}
  int n;
  int k;
};

template <typename Shape>
std::uint32_t check_bits(const CodeTables& tables, const Shape& shape, std::uint64_t data) {
  std::uint32_t check = 0;
  for (int byte = 0; 8 * byte < shape.k; ++byte)
    check ^= tables.byte_checks[byte][data >> (8 * byte) & 0xFF];
  return check;
}

template <typename Shape>
void encode_shape(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
                  std::uint8_t* codewords) {
  const Shape shape(tables);
  const auto data_bytes = static_cast<std::size_t>(kBlockWords / 8 * shape.k);
  const auto code_bytes = static_cast<std::size_t>(kBlockWords / 8 * shape.n);
  std::uint8_t in[kBlockBytes + kSlack] = {};
  std::uint8_t out[kBlockBytes + kSlack];
  for (; blocks != 0; --blocks, data += data_bytes, codewords += code_bytes) {
    std::memcpy(in, data, data_bytes);
    Writer writer(out);
    for (int j = 0; j < kBlockWords; ++j) {
      const std::uint64_t word = get(in, j * shape.k, shape.k);
      const std::uint64_t check = check_bits(tables, shape, word);
      if (shape.n <= 64) {
        writer.put(word | check << shape.k, shape.n);
      } else {
        writer.put(word, shape.k);
        writer.put(check, shape.n - shape.k);
      }
    }
    writer.flush();
    std::memcpy(codewords, out, code_bytes);
  }
}

template <typename Shape>
void decode_shape(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
                  std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  const Shape shape(tables);
  const auto data_bytes = static_cast<std::size_t>(kBlockWords / 8 * shape.k);
  const auto code_bytes = static_cast<std::size_t>(kBlockWords / 8 * shape.n);
  std::uint8_t in[kBlockBytes + kSlack] = {};
  std::uint8_t out[kBlockBytes + kSlack];
  for (; blocks != 0; --blocks, codewords += code_bytes, data += data_bytes) {
    std::memcpy(in, codewords, code_bytes);
    Writer writer(out);
    std::uint64_t block_statuses = 0;
    for (int j = 0; j < kBlockWords; ++j) {
      const int at = j * shape.n;
      std::uint64_t word = get(in, at, shape.k);
      const auto check = static_cast<std::uint32_t>(get(in, at + shape.k, shape.n - shape.k));
      const std::uint32_t syndrome = check_bits(tables, shape, word) ^ check;
      word ^= tables.errors[syndrome];
      block_statuses |= std::uint64_t{tables.statuses[syndrome]} << (2 * j);
      writer.put(word, shape.k);
    }
    writer.flush();
    std::memcpy(data, out, data_bytes);
    count_errors(block_statuses, errors);
    if (statuses != nullptr) {
      store<8>(statuses, block_statuses);
      statuses += kBlockWords / 4;
    }
  }
}

void encode(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
            std::uint8_t* codewords) {
  auto shape = encode_shape<AnyShape>;
  if (tables.n == 72 && tables.k == 64) shape = encode_shape<FixedShape<72, 64>>;
  shape(tables, data, blocks, codewords);
}

void decode(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
            std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  auto shape = decode_shape<AnyShape>;
  if (tables.n == 72 && tables.k == 64) shape = decode_shape<FixedShape<72, 64>>;
  shape(tables, codewords, blocks, data, statuses, errors);
}

}  // namespace

const BlockCoder kAnyCode = {kBlockWords, encode, decode};

}  // namespace axelram::portable
