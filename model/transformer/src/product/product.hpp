#pragma once

#include "axelram/transformer/product.hpp"

// The same functions, compiled for each instruction set.
#define AXELRAM_DECLARE_PRODUCTS(level)                                                 \
  namespace axelram::transformer::level {                                               \
  void multiply(const Rows& a, const Rows& b, const MutableRows& c, std::size_t first); \
  void multiply_transposed(const Rows& a, const Rows& b, const MutableRows& c);         \
  void softmax(float* x, std::size_t count, float scale);                               \
  void silu(float* x, std::size_t count);                                               \
  void gelu_tanh(float* x, std::size_t count);                                          \
  float largest(const float* x, std::size_t count);                                     \
  std::size_t rank(const float* x, std::size_t count, std::size_t place);               \
  double divergence(const float* x, double x_shift, const float* y, double y_shift,     \
                    std::size_t count);                                                 \
  }

AXELRAM_DECLARE_PRODUCTS(portable)
AXELRAM_DECLARE_PRODUCTS(avx2)
AXELRAM_DECLARE_PRODUCTS(avx512)
#undef AXELRAM_DECLARE_PRODUCTS
