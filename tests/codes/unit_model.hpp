#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/rtl/code_unit.hpp"
#include "verilated_unit.hpp"

namespace axelram {

/// Bit i is bit i % 64 of element i / 64.
using CodewordBits = std::array<std::uint64_t, 2>;

inline CodewordBits to_bits(const Code& code, const Word& word) {
  const auto check = static_cast<std::uint64_t>(word.check);
  if (code.k == 64) return {word.data, check};
  return {word.data | check << code.k, code.n > 64 ? check >> (64 - code.k) : std::uint64_t{0}};
}

struct UnitInput {
  bool reset = false;
  bool encode_valid = false;
  bool decode_valid = false;
  std::uint64_t data = 0;
  CodewordBits received{};
};

struct UnitOutput {
  bool encode_valid = false;
  bool decode_valid = false;
  std::uint8_t status = 0;
  CodewordBits encoded{}, decoded{};
};

/// A generated code unit, Verilated.
using UnitModel = test::VerilatedUnit<UnitInput, UnitOutput>;
UnitModel unit_model(const Code& code, const std::vector<rtl::GeneratedFile>& files);

struct Counts {
  std::size_t words = 0, wrong_encoded = 0, wrong_decoded = 0;
};

/// Counts the words in which a unit without registers and golden differ.
class Comparison {
 public:
  Comparison(const Code& code, const std::vector<rtl::GeneratedFile>& files)
      : code_(code), model_(unit_model(code, files)) {}

  /// Encodes `data` and decodes `received` in the same cycle.
  void add(std::uint64_t data, const Word& received) {
    inputs_.push_back({false, true, true, data, to_bits(code_, received)});
    received_.push_back(received);
    if (inputs_.size() == kChunk) flush();
  }
  Counts counts() {
    flush();
    return counts_;
  }

 private:
  void flush();

  static constexpr std::size_t kChunk = 1 << 14;
  const Code& code_;
  UnitModel model_;
  std::vector<UnitInput> inputs_;
  std::vector<Word> received_;
  Counts counts_;
};

}  // namespace axelram
