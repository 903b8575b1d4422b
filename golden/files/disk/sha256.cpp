#include "axelram/files/sha256.hpp"

#include <algorithm>

#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kShaRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::uint32_t rotated_right(std::uint32_t word, int bits) {
  return word >> bits | word << (32 - bits);
}

/// The 64 bytes at `block` into the state.
void add_block(const std::uint8_t* block, std::array<std::uint32_t, 8>* state) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 16; ++t)
    for (std::size_t k = 0; k < 4; ++k) w[t] = w[t] << 8 | block[4 * t + k];
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t a = w[t - 15], b = w[t - 2];
    w[t] = w[t - 16] + (rotated_right(a, 7) ^ rotated_right(a, 18) ^ a >> 3) + w[t - 7] +
           (rotated_right(b, 17) ^ rotated_right(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = *state;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t first =
        h + (rotated_right(e, 6) ^ rotated_right(e, 11) ^ rotated_right(e, 25)) +
        ((e & f) ^ (~e & g)) + kShaRounds[t] + w[t];
    const std::uint32_t second =
        (rotated_right(a, 2) ^ rotated_right(a, 13) ^ rotated_right(a, 22)) +
        ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  const std::array<std::uint32_t, 8> sum = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) (*state)[i] += sum[i];
}

}  // namespace

void Sha256::add(const std::uint8_t* bytes, std::size_t count) {
  std::size_t held = length_ % kBlock;
  length_ += count;
  while (count > 0) {
    if (held == 0 && count >= kBlock) {
      add_block(bytes, &state_);
      bytes += kBlock, count -= kBlock;
      continue;
    }
    const std::size_t taken = std::min(count, kBlock - held);
    std::copy_n(bytes, taken, waiting_.begin() + static_cast<std::ptrdiff_t>(held));
    held += taken, bytes += taken, count -= taken;
    if (held == kBlock) {
      add_block(waiting_.data(), &state_);
      held = 0;
    }
  }
}

std::string Sha256::digest() {
  // What is left, a bit 1, zeros, and the length in bits, in one block or two.
  std::array<std::uint8_t, 2 * kBlock> last{};
  const std::size_t left = length_ % kBlock;
  std::copy_n(waiting_.begin(), left, last.begin());
  last[left] = 0x80;
  const std::size_t end = left < kBlock - 8 ? kBlock : 2 * kBlock;
  for (std::size_t i = 0; i < 8; ++i)
    last[end - 1 - i] = static_cast<std::uint8_t>(8 * length_ >> (8 * i));
  for (std::size_t at = 0; at < end; at += kBlock) add_block(last.data() + at, &state_);

  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) text += kHex[word >> shift & 15];
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 all;
  all.add(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return all.digest();
}

std::string provenance_of(const std::string& path, std::string_view bytes) {
  const std::size_t slash = path.rfind('/');
  return printable(slash == std::string::npos ? path : path.substr(slash + 1)) + " (sha256 " +
         sha256(bytes).substr(0, 12) + ")";
}

}  // namespace axelram::files
