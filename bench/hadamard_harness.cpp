// Clocks the bare Hadamard network with a new vector every cycle.

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "Vaxelram_hadamard.h"
#include "verilated.h"

void vl_stop(const char*, int, const char*) VL_MT_UNSAFE {}
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

/// Runs `cycles` cycles and returns a digest of the outputs.
extern "C" __attribute__((visibility("default"))) std::uint32_t hadamard_run(unsigned cycles) {
  static VerilatedContext context;
  static const auto top = std::make_unique<Vaxelram_hadamard>(&context);
  static const std::vector<std::uint32_t> words = [] {
    std::mt19937 random(1);
    std::vector<std::uint32_t> made(64 * (sizeof top->data_i / 4));
    for (std::uint32_t& word : made) word = static_cast<std::uint32_t>(random());
    return made;
  }();
  const std::size_t row = sizeof top->data_i / 4;
  top->rst_ni = 1;
  top->valid_i = 1;
  std::uint32_t digest = 0;
  for (unsigned i = 0; i < cycles; ++i) {
    for (std::size_t w = 0; w < row; ++w) top->data_i[w] = words[i % 64 * row + w];
    top->clk_i = 0;
    top->eval();
    digest ^= top->data_o[i % 8];
    top->clk_i = 1;
    top->eval();
  }
  return digest;
}
