#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/half.hpp"
#include "axelram/memory.hpp"

/// The example of bit-contract.md#example-memory: 14 tokens of a memory of 7 slots.

namespace memory_example {

using Row = std::vector<std::uint16_t>;

inline std::int64_t modulo(std::int64_t a, std::int64_t m) { return (a % m + m) % m; }

/// Row A, B, C, M, N or Z.
inline Row row(char name) {
  Row x;
  for (std::int64_t i = 0; i < 32; ++i) {
    const std::int64_t a = modulo(7 * i, 11) - 5, b = modulo(i * i, 11) - 5,
                       c = modulo(3 * i * i + i, 13) - 6;
    const std::int64_t value = name == 'A'   ? a
                               : name == 'B' ? b
                               : name == 'C' ? c
                               : name == 'M' ? 2 * a + b
                               : name == 'N' ? 3 * b + a
                                             : 0;
    x.push_back(axelram::double_to_half(static_cast<double>(value)));
  }
  return x;
}

/// Logit h, l, v or d.
inline float logit(char name) {
  return name == 'h' ? 2.0F : name == 'l' ? -2.0F : name == 'v' ? -2.5F : -4.0F;
}

struct Slot {
  int position, stamp, merged;
};

struct Token {
  char row, gate;
  std::array<std::int32_t, 6> event;
  std::string labels;
  std::vector<Slot> slots;  ///< those that are not free, in order
};

inline const std::vector<Token>& tokens() {
  static const std::vector<Token> all = {
      {'Z', 'v', {0, -1, -1, 0, -1, 0}, "w......", {{0, 0, 1}}},
      {'N', 'l', {0, -1, -1, 0, -1, 1}, "ww.....", {{0, 0, 1}, {1, 1, 1}}},
      {'M', 'h', {7, 0, -1, 0, -1, 2}, "sww....", {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}}},
      {'C', 'h', {4, 1, -1, 0, -1, 3}, "sxww...", {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}}},
      {'M',
       'h',
       {3, 2, 1, 2, 2, 4},
       "sxmww..",
       {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}}},
      {'N',
       'h',
       {4, 3, 1, 0, -1, 5},
       "sxmxww.",
       {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}, {5, 5, 1}}},
      {'N',
       'h',
       {3, 4, 1, 3, 4, 2},
       "sxwxmw.",
       {{0, 0, 1}, {1, 1, 1}, {6, 6, 1}, {3, 3, 1}, {4, 4, 2}, {5, 5, 1}}},
      {'Z',
       'h',
       {2, 5, 1, 3, 5, 4},
       "sxwxwm.",
       {{0, 0, 1}, {1, 5, 1}, {6, 6, 1}, {3, 3, 1}, {7, 7, 1}, {5, 5, 3}}},
      {'A',
       'd',
       {2, 2, 1, 3, 2, 5},
       "sxmxww.",
       {{0, 0, 1}, {1, 6, 1}, {6, 6, 4}, {3, 3, 1}, {7, 7, 1}, {8, 8, 1}}},
      {'A',
       'v',
       {5, 4, 1, 3, 2, 1},
       "swmxxw.",
       {{0, 0, 1}, {9, 9, 1}, {6, 6, 5}, {3, 3, 1}, {7, 7, 1}, {8, 8, 1}}},
      {'Z',
       'l',
       {1, 5, -1, 1, -1, 5},
       "swmxxw.",
       {{0, 0, 1}, {9, 9, 1}, {6, 6, 5}, {3, 3, 1}, {7, 7, 1}, {10, 10, 1}}},
      {'N',
       'l',
       {1, 1, -1, 3, 1, 2},
       "smwxxw.",
       {{0, 0, 1}, {9, 9, 6}, {11, 11, 1}, {3, 3, 1}, {7, 7, 1}, {10, 10, 1}}},
      {'A',
       'v',
       {6, 5, 3, 2, 5, 6},
       "smwxxmw",
       {{0, 0, 1}, {9, 9, 6}, {11, 11, 1}, {3, 3, 1}, {7, 7, 1}, {10, 10, 1}, {12, 12, 1}}},
      {'C',
       'h',
       {6, 2, 3, 3, 2, 1},
       "swmxxmw",
       {{0, 0, 1}, {13, 13, 1}, {11, 11, 7}, {3, 3, 1}, {7, 7, 1}, {10, 10, 1}, {12, 12, 1}}}};
  return all;
}

inline axelram::MemoryHead head() {
  axelram::Parameters parameters{.head_dim = 32};
  axelram::MemoryOptions options;
  options.window = 2;
  options.exact = 3;
  options.sinks = 1;
  options.summary = 2;
  axelram::MemoryHead head;
  head.parameters = parameters;
  head.memory = axelram::memory_parameters(options, parameters);
  head.rom = std::make_shared<const axelram::CodebookRom>(axelram::codebook_rom(parameters));
  head.signs.assign(32, 1);
  return head;
}

inline std::string labels(const axelram::MemoryState& state) {
  std::string all;
  for (const axelram::SlotLabel label : state.labels) all += ".wsxm"[static_cast<int>(label)];
  return all;
}

}  // namespace memory_example
