#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace axelram::sim {

/// A port of a loaded model: a view of its value in the Verilated model.
class PortValue {
 public:
  PortValue() = default;
  PortValue(void* data, int bits) : data_(data), bits_(bits) {}

  /// Up to 64 bits, zero-extended.
  std::uint64_t get() const {
    if (bits_ <= 8) return *static_cast<const std::uint8_t*>(data_);
    if (bits_ <= 16) return *static_cast<const std::uint16_t*>(data_);
    if (bits_ <= 32) return *static_cast<const std::uint32_t*>(data_);
    return *static_cast<const std::uint64_t*>(data_);
  }
  void set(std::uint64_t value) {
    if (bits_ <= 8)
      *static_cast<std::uint8_t*>(data_) = static_cast<std::uint8_t>(value);
    else if (bits_ <= 16)
      *static_cast<std::uint16_t*>(data_) = static_cast<std::uint16_t>(value);
    else if (bits_ <= 32)
      *static_cast<std::uint32_t*>(data_) = static_cast<std::uint32_t>(value);
    else
      *static_cast<std::uint64_t*>(data_) = value;
  }
  /// Bits [low, low + width) of a port of any size; width <= 32.
  std::uint32_t field(int low, int width) const;
  std::int32_t signed_field(int low, int width) const;
  std::int64_t get_signed() const;
  /// All bits of a port of any size, as little-endian bytes.
  void get_bytes(void* bytes) const;
  void set_bytes(const void* bytes);
  int bits() const { return bits_; }

 private:
  void* data_ = nullptr;
  int bits_ = 0;
};

/// A Verilated macro in a shared library (sim/rtl/model/harness/harness.cpp).
class RtlModel {
 public:
  /// Throws files::EnvironmentError if the library cannot be loaded. `seed` initialises the
  /// registers that have no reset.
  RtlModel(const std::string& library, unsigned seed);
  ~RtlModel();
  RtlModel(const RtlModel&) = delete;
  RtlModel& operator=(const RtlModel&) = delete;

  /// A port of the top by name and width. Throws std::logic_error for an unknown one.
  PortValue port(const std::string& name, int bits);

  /// Updates the outputs for the current inputs. Time does not advance.
  void peek() { peek_(handle_); }
  void settle() { settle_(handle_); }
  void edge() { edge_(handle_); }
  /// Place of a failed assertion (file:line), or an empty string.
  const char* failure() const { return failure_(handle_); }

  /// The first `bytes` bytes of word `address` of the SRAM.
  std::vector<std::uint8_t> stored(unsigned address, std::size_t bytes);

  /// Only with exact tokens: the first `bytes` bytes of word `address` of the copies, and the
  /// exponent of a place.
  std::vector<std::uint8_t> copy_word(unsigned address, std::size_t bytes);
  int copy_exponent(unsigned place);

  /// Hits of each cover of the RTL by its label, all instances together. None if the library was
  /// built without them (BuildOptions).
  std::map<std::string, std::uint64_t> covers();

  /// Starts an FST waveform. Throws EnvironmentError if it cannot be written.
  void start_waves(const std::string& path);

 private:
  void* symbol(const char* name);

  void* library_ = nullptr;
  void* handle_ = nullptr;
  void (*peek_)(void*) = nullptr;
  void (*settle_)(void*) = nullptr;
  void (*edge_)(void*) = nullptr;
  const char* (*failure_)(void*) = nullptr;
};

}  // namespace axelram::sim
