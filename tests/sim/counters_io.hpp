#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Inputs of one cycle for axelram_status and axelram_code_status with counters of four bits.

struct CountersInput {
  bool reset = false, clear = false;
  std::uint8_t events = 0;     ///< of axelram_status, one bit each
  std::uint8_t twice = 0;      ///< of these, those that count twice
  bool decoded = false;        ///< a record of five words
  std::uint16_t statuses = 0;  ///< two bits per word
  std::uint8_t address = 0;
  bool written_back = false;
};

/// Outputs before the clock edge of the cycle.
struct CountersOutput {
  std::uint8_t sticky = 0;
  std::array<unsigned, 3> counts{};
  std::array<unsigned, 4> code_counts{};
  bool first_valid = false;
  std::uint8_t first_address = 0;
};
