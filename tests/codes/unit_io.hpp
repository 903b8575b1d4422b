#pragma once

#include <cstddef>
#include <cstdint>

/// Inputs and outputs of a Verilated axelram_code_unit, one cycle each.

/// Bit i is bit i of low, or bit i - 64 of high.
struct CodewordBits {
  std::uint64_t low = 0, high = 0;
};

struct UnitInput {
  bool reset = false;
  bool encode_valid = false;
  bool decode_valid = false;
  std::uint64_t data = 0;
  CodewordBits received;
};

/// Outputs before the clock edge of the cycle.
struct UnitOutput {
  bool encode_valid = false;
  bool decode_valid = false;
  std::uint8_t status = 0;
  CodewordBits encoded, decoded;
};

using UnitRun = void (*)(const UnitInput* inputs, UnitOutput* outputs, std::size_t cycles);
