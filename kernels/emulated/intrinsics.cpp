#include "emulated/intrinsics.hpp"

namespace axelram::kernels {
namespace {

template <class T>
struct Fragments {
  T a[4], b[2];
};

template <class T>
const Fragments<T>& exchange(const T (&a)[4], const T (&b)[2]) {
  static_assert(sizeof(Fragments<T>) <= 256);
  Fragments<T> mine;
  std::copy(a, a + 4, mine.a);
  std::copy(b, b + 2, mine.b);
  std::memcpy(emulated::exchange_buffer(), &mine, sizeof mine);
  emulated::warp_barrier();
  return *static_cast<const Fragments<T>*>(emulated::exchange_buffer(lane_index()));
}

const Fragments<std::uint32_t>& of_lane(unsigned lane) {
  return *static_cast<const Fragments<std::uint32_t>*>(emulated::exchange_buffer(lane));
}

int byte_of(std::uint32_t word, unsigned i) { return static_cast<std::int8_t>(word >> (8 * i)); }

double half_of(Half2 word, unsigned i) {
  return half_to_double(static_cast<std::uint16_t>(word >> (16 * i)));
}

/// Rows `row` of a matrix that lane 8i + row gave the address of.
const std::uint16_t* matrix_row(unsigned matrix, unsigned row) {
  const void* address;
  std::memcpy(&address, emulated::exchange_buffer(8 * matrix + row), sizeof address);
  return static_cast<const std::uint16_t*>(address);
}

void give_row(const void* row) {
  emulated::check_aligned(static_cast<const Words4*>(row));
  std::memcpy(emulated::exchange_buffer(), &row, sizeof row);
  emulated::warp_barrier();
}

}  // namespace

void mma_s8(std::int32_t (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  exchange(a, b);
  const unsigned g = lane_index() / 4, t = lane_index() % 4;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned lower = i / 2, column = 2 * t + i % 2;
    for (unsigned k = 0; k < 32; ++k) {
      const unsigned half = k / 16, quarter = k % 16 / 4, byte = k % 4;
      c[i] += byte_of(of_lane(4 * g + quarter).a[2 * half + lower], byte) *
              byte_of(of_lane(4 * column + quarter).b[half], byte);
    }
  }
}

void mma_f16(float (&c)[4], const Half2 (&a)[4], const Half2 (&b)[2]) {
  exchange(a, b);
  const unsigned g = lane_index() / 4, t = lane_index() % 4;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned lower = i / 2, column = 2 * t + i % 2;
    double sum = c[i];
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned half = k / 8, quarter = k % 8 / 2, element = k % 2;
      sum += half_of(of_lane(4 * g + quarter).a[2 * half + lower], element) *
             half_of(of_lane(4 * column + quarter).b[half], element);
    }
    c[i] = static_cast<float>(sum);
  }
}

std::uint32_t transpose_matrix(std::uint32_t row) {
  std::memcpy(emulated::exchange_buffer(), &row, sizeof row);
  emulated::warp_barrier();
  const unsigned g = lane_index() / 4, t = lane_index() % 4;
  const auto element = [g](unsigned from_row) {
    std::uint32_t pair;
    std::memcpy(&pair, emulated::exchange_buffer(4 * from_row + g / 2), sizeof pair);
    return pair >> (16 * (g % 2)) & 0xFFFF;
  };
  return element(2 * t + 1) << 16 | element(2 * t);
}

void load_matrices(std::uint32_t (&r)[4], const void* row) {
  give_row(row);
  const unsigned g = lane_index() / 4, t = lane_index() % 4;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint16_t* const from = matrix_row(i, g);
    r[i] = static_cast<std::uint32_t>(from[2 * t + 1]) << 16 | from[2 * t];
  }
  sync_warp();
}

void load_matrices_transposed(std::uint32_t (&r)[4], const void* row) {
  give_row(row);
  const unsigned g = lane_index() / 4, t = lane_index() % 4;
  for (unsigned i = 0; i < 4; ++i)
    r[i] = static_cast<std::uint32_t>(matrix_row(i, 2 * t + 1)[g]) << 16 | matrix_row(i, 2 * t)[g];
  sync_warp();
}

}  // namespace axelram::kernels
