#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "axelram/half.hpp"
#include "axelram/kernels/device.hpp"
#include "device/vectors.cuh"
#include "emulated/machine.hpp"

/// The instructions that kernels use. Blocks have one dimension, a multiple of 32 threads; all
/// lanes of a warp meet in every function that involves a warp.
namespace axelram::kernels {

inline unsigned thread_index() { return emulated::thread(); }
inline unsigned block_threads() { return emulated::block().threads; }
inline unsigned lane_index() { return emulated::thread() & 31U; }
inline unsigned warp_index() { return emulated::thread() >> 5; }
inline unsigned block_x() { return emulated::block().x; }
inline unsigned block_y() { return emulated::block().y; }
inline unsigned block_z() { return emulated::block().z; }
inline unsigned grid_x() { return emulated::block().grid_x; }
inline unsigned grid_y() { return emulated::block().grid_y; }

/// The block's dynamic shared memory, 128-byte aligned.
template <class T>
T* shared_memory() {
  return reinterpret_cast<T*>(emulated::shared());
}

inline void sync_block() { emulated::block_barrier(); }
inline void sync_warp() { emulated::warp_barrier(); }

/// `value` of lane `from`.
template <class T>
T shuffle(T value, unsigned from) {
  std::memcpy(emulated::exchange_buffer(), &value, sizeof value);
  emulated::warp_barrier();
  std::memcpy(&value, emulated::exchange_buffer(from & 31U), sizeof value);
  return value;
}
template <class T>
T shuffle_xor(T value, unsigned mask) {
  return shuffle(value, lane_index() ^ mask);
}
/// Bit i: the predicate of lane i.
inline std::uint32_t ballot(bool predicate) {
  std::memcpy(emulated::exchange_buffer(), &predicate, sizeof predicate);
  emulated::warp_barrier();
  std::uint32_t bits = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    bits |= static_cast<std::uint32_t>(*static_cast<const bool*>(emulated::exchange_buffer(lane)))
            << lane;
  return bits;
}
inline bool any_lane(bool predicate) { return ballot(predicate) != 0; }
inline std::int32_t warp_max(std::int32_t value) {
  std::memcpy(emulated::exchange_buffer(), &value, sizeof value);
  emulated::warp_barrier();
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::int32_t other;
    std::memcpy(&other, emulated::exchange_buffer(lane), sizeof other);
    value = std::max(value, other);
  }
  return value;
}

namespace emulated {
template <class T>
void check_aligned(const T* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % alignof(T) != 0)
    throw DeviceError("a load or store of " + std::to_string(sizeof(T)) + " bytes at an address " +
                      "that is no multiple of it");
}
}  // namespace emulated

/// Loads of memory that no thread of the launch writes.
template <class T>
T load(const T* address) {
  emulated::check_aligned(address);
  return *address;
}
/// The same for data that is read once.
template <class T>
T load_streaming(const T* address) {
  return load(address);
}
template <class T>
void store_vector(T* address, const T& value) {
  emulated::check_aligned(address);
  *address = value;
}

/// Asynchronous copies of 16 and 4 bytes to shared memory, which arrive at the latest when at most
/// kPending of the thread's committed groups are pending.
inline void copy_async16(void* shared, const void* global) {
  emulated::check_aligned(static_cast<const Words4*>(global));
  emulated::check_aligned(static_cast<const Words4*>(shared));
  emulated::copy_later(shared, global, 16);
}
inline void copy_async4(void* shared, const void* global) {
  emulated::check_aligned(static_cast<const std::uint32_t*>(global));
  emulated::check_aligned(static_cast<const std::uint32_t*>(shared));
  emulated::copy_later(shared, global, 4);
}
inline void commit_async() { emulated::commit_copies(); }
template <int kPending>
void wait_async() {
  emulated::wait_for_copies(kPending);
}

/// These return the old value. T: std::uint32_t, std::int32_t, unsigned long long; atomic_add also
/// float.
template <class T>
T atomic_add(T* address, T value) {
  const T old = *address;
  *address = static_cast<T>(old + value);
  return old;
}
template <class T>
T atomic_min(T* address, T value) {
  const T old = *address;
  *address = std::min(old, value);
  return old;
}
template <class T>
T atomic_max(T* address, T value) {
  const T old = *address;
  *address = std::max(old, value);
  return old;
}
inline void atomic_or(std::uint32_t* address, std::uint32_t bits) { *address |= bits; }
inline void atomic_and(std::uint32_t* address, std::uint32_t bits) { *address &= bits; }

/// c += a b on tensor cores. Lane 4g + t holds, of A [16, 32] rows g (a[0], a[2]) and g + 8 (a[1],
/// a[3]), columns 4t .. 4t + 3 (a[0], a[1]) and 16 + 4t .. (a[2], a[3]), bytes in order; of B
/// [32, 8] column g, rows 4t .. (b[0]) and 16 + 4t .. (b[1]); of C [16, 8] row g (c[0], c[1]) and
/// g + 8, columns 2t and 2t + 1.
void mma_s8(std::int32_t (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

/// The same product for FP16 with FP32 sums: A [16, 16] columns 2t, 2t + 1 (a[0], a[1]) and 8 + 2t
/// .. (a[2], a[3]); B [16, 8] rows 2t, 2t + 1 (b[0]) and 8 + 2t .. (b[1]).
void mma_f16(float (&c)[4], const Half2 (&a)[4], const Half2 (&b)[2]);
/// d = c + a b.
inline void mma_f16(float (&d)[4], const Half2 (&a)[4], const Half2 (&b)[2], const float (&c)[4]) {
  std::copy_n(c, 4, d);
  mma_f16(d, a, b);
}
/// c += a b of A [16, 8] and B [8, 8]: the first half of those columns and rows.
inline void mma_f16(float (&c)[4], const Half2 (&a)[2], Half2 b) {
  mma_f16(c, {a[0], a[1], 0, 0}, {b, 0});
}

/// movmatrix: of an 8 x 8 matrix of 2-byte elements, lane 4g + t gives row g, columns 2t and 2t +
/// 1, and is given column g, rows 2t and 2t + 1.
std::uint32_t transpose_matrix(std::uint32_t row);

/// ldmatrix: four 8 x 8 matrices of 2-byte elements from shared memory. Lane 8i + j gives the
/// address of row j of matrix i (16 bytes, aligned); r[i] of lane 4g + t is row g, columns 2t and
/// 2t + 1 of matrix i; transposed: column g, rows 2t and 2t + 1.
void load_matrices(std::uint32_t (&r)[4], const void* row);
void load_matrices_transposed(std::uint32_t (&r)[4], const void* row);

}  // namespace axelram::kernels
