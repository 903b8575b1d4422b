#pragma once

#include "axelram/transformer/product.hpp"

// Products by Eigen, compiled for each instruction set.
#define AXELRAM_DECLARE_PRODUCTS(level)                                                         \
  namespace bench::level {                                                                      \
  void eigen_multiply(const axelram::transformer::Rows& a, const axelram::transformer::Rows& b, \
                      const axelram::transformer::MutableRows& c);                              \
  void eigen_multiply_transposed(const axelram::transformer::Rows& a,                           \
                                 const axelram::transformer::Rows& b,                           \
                                 const axelram::transformer::MutableRows& c);                   \
  }

AXELRAM_DECLARE_PRODUCTS(portable)
AXELRAM_DECLARE_PRODUCTS(avx2)
AXELRAM_DECLARE_PRODUCTS(avx512)
#undef AXELRAM_DECLARE_PRODUCTS
