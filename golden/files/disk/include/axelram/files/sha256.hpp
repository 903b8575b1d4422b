#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace axelram::files {

/// SHA-256 (FIPS 180-4) of bytes that come in parts.
class Sha256 {
 public:
  static constexpr std::size_t kBlock = 64;

  void add(const std::uint8_t* bytes, std::size_t count);
  /// 64 hexadecimal digits of all bytes so far. Nothing may be added behind it.
  std::string digest();

 private:
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, kBlock> waiting_{};  ///< the last length_ % kBlock bytes
  std::uint64_t length_ = 0;
};

/// SHA-256 (FIPS 180-4) as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

/// "NAME (sha256 0123456789ab)": the last part of a path, and the first 12 digits of the digest of
/// its content, which name the version of a file in a report.
std::string provenance_of(const std::string& path, std::string_view bytes);

}  // namespace axelram::files
