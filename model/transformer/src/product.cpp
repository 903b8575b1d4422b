#include "product/product.hpp"

#include <algorithm>
#include <atomic>

#include "axelram/transformer/other_level.hpp"

namespace axelram::transformer {
namespace {

struct Products {
  decltype(&portable::multiply) multiply;
  decltype(&portable::multiply_transposed) multiply_transposed;
  decltype(&portable::softmax) softmax;
  decltype(&portable::silu) silu;
  decltype(&portable::gelu_tanh) gelu_tanh;
  decltype(&portable::largest) largest;
  decltype(&portable::rank) rank;
  decltype(&portable::divergence) divergence;
};

#define AXELRAM_PRODUCTS(level)                                                                 \
  Products {                                                                                    \
    level::multiply, level::multiply_transposed, level::softmax, level::silu, level::gelu_tanh, \
        level::largest, level::rank, level::divergence                                          \
  }

Products at(SimdLevel level) {
  switch (std::min(level, best_simd_level())) {
    case SimdLevel::avx512:
      return AXELRAM_PRODUCTS(avx512);
    case SimdLevel::avx2:
      return AXELRAM_PRODUCTS(avx2);
    case SimdLevel::portable:
      break;
  }
  return AXELRAM_PRODUCTS(portable);
}
#undef AXELRAM_PRODUCTS

std::atomic<const Products*> other = nullptr;

const Products& products() {
  static const Products usual = at(simd_level());
  const Products* const chosen = other.load(std::memory_order_acquire);
  return chosen != nullptr ? *chosen : usual;
}

}  // namespace

OtherLevel::OtherLevel(SimdLevel level) { other = new Products(at(level)); }
OtherLevel::~OtherLevel() { delete other.exchange(nullptr); }

void multiply(const Rows& a, const Rows& b, const MutableRows& c, std::size_t first) {
  products().multiply(a, b, c, first);
}

void multiply_transposed(const Rows& a, const Rows& b, const MutableRows& c) {
  products().multiply_transposed(a, b, c);
}

void softmax(float* x, std::size_t count, float scale) { products().softmax(x, count, scale); }
void silu(float* x, std::size_t count) { products().silu(x, count); }
void gelu_tanh(float* x, std::size_t count) { products().gelu_tanh(x, count); }

float largest(const float* x, std::size_t count) { return products().largest(x, count); }

std::size_t rank(const float* x, std::size_t count, std::size_t place) {
  return products().rank(x, count, place);
}

double divergence(const float* x, double x_shift, const float* y, double y_shift,
                  std::size_t count) {
  return products().divergence(x, x_shift, y, y_shift, count);
}

}  // namespace axelram::transformer
