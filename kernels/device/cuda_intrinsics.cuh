#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/vectors.cuh"

/// See ../emulated/intrinsics.hpp for what each of these does: it is the definition.
namespace axelram::kernels {

constexpr unsigned kAllLanes = 0xFFFFFFFFU;

AXELRAM_DEVICE unsigned thread_index() { return threadIdx.x; }
AXELRAM_DEVICE unsigned block_threads() { return blockDim.x; }
AXELRAM_DEVICE unsigned lane_index() { return threadIdx.x & 31U; }
AXELRAM_DEVICE unsigned warp_index() { return threadIdx.x >> 5; }
AXELRAM_DEVICE unsigned block_x() { return blockIdx.x; }
AXELRAM_DEVICE unsigned block_y() { return blockIdx.y; }
AXELRAM_DEVICE unsigned block_z() { return blockIdx.z; }
AXELRAM_DEVICE unsigned grid_x() { return gridDim.x; }
AXELRAM_DEVICE unsigned grid_y() { return gridDim.y; }

template <class T>
AXELRAM_DEVICE T* shared_memory() {
  extern __shared__ __align__(128) unsigned char axelram_shared_bytes[];
  return reinterpret_cast<T*>(axelram_shared_bytes);
}

AXELRAM_DEVICE void sync_block() { __syncthreads(); }
AXELRAM_DEVICE void sync_warp() { __syncwarp(); }

template <class T>
AXELRAM_DEVICE T shuffle(T value, unsigned from) {
  return __shfl_sync(kAllLanes, value, static_cast<int>(from));
}
template <class T>
AXELRAM_DEVICE T shuffle_xor(T value, unsigned mask) {
  return __shfl_xor_sync(kAllLanes, value, static_cast<int>(mask));
}
AXELRAM_DEVICE std::uint32_t ballot(bool predicate) { return __ballot_sync(kAllLanes, predicate); }
AXELRAM_DEVICE bool any_lane(bool predicate) { return __any_sync(kAllLanes, predicate) != 0; }
AXELRAM_DEVICE std::int32_t warp_max(std::int32_t value) {
  return __reduce_max_sync(kAllLanes, value);
}

template <class T>
AXELRAM_DEVICE T load(const T* address) {
  return __ldg(address);
}
template <>
AXELRAM_DEVICE Words2 load(const Words2* address) {
  const uint2 v = __ldg(reinterpret_cast<const uint2*>(address));
  return {{v.x, v.y}};
}
template <>
AXELRAM_DEVICE Words4 load(const Words4* address) {
  const uint4 v = __ldg(reinterpret_cast<const uint4*>(address));
  return {{v.x, v.y, v.z, v.w}};
}
/// For data that is read once: it may be evicted from the caches first.
AXELRAM_DEVICE Words2 load_streaming(const Words2* address) {
  const uint2 v = __ldcs(reinterpret_cast<const uint2*>(address));
  return {{v.x, v.y}};
}
AXELRAM_DEVICE Words4 load_streaming(const Words4* address) {
  const uint4 v = __ldcs(reinterpret_cast<const uint4*>(address));
  return {{v.x, v.y, v.z, v.w}};
}
AXELRAM_DEVICE std::uint32_t load_streaming(const std::uint32_t* address) {
  return __ldcs(address);
}
template <class T>
AXELRAM_DEVICE void store_vector(T* address, const T& value);
template <>
AXELRAM_DEVICE void store_vector(Words2* address, const Words2& v) {
  *reinterpret_cast<uint2*>(address) = make_uint2(v.w[0], v.w[1]);
}
template <>
AXELRAM_DEVICE void store_vector(Words4* address, const Words4& v) {
  *reinterpret_cast<uint4*>(address) = make_uint4(v.w[0], v.w[1], v.w[2], v.w[3]);
}

AXELRAM_DEVICE void copy_async16(void* shared, const void* global) {
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
}
AXELRAM_DEVICE void copy_async4(void* shared, const void* global) {
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(global) : "memory");
}
AXELRAM_DEVICE void commit_async() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kPending>
AXELRAM_DEVICE void wait_async() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

template <class T>
AXELRAM_DEVICE T atomic_add(T* address, T value) {
  return atomicAdd(address, value);
}
template <class T>
AXELRAM_DEVICE T atomic_min(T* address, T value) {
  return atomicMin(address, value);
}
template <class T>
AXELRAM_DEVICE T atomic_max(T* address, T value) {
  return atomicMax(address, value);
}
AXELRAM_DEVICE void atomic_or(std::uint32_t* address, std::uint32_t bits) {
  atomicOr(address, bits);
}
AXELRAM_DEVICE void atomic_and(std::uint32_t* address, std::uint32_t bits) {
  atomicAnd(address, bits);
}

AXELRAM_DEVICE void mma_s8(std::int32_t (&c)[4], const std::uint32_t (&a)[4],
                           const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
AXELRAM_DEVICE void mma_f16(float (&c)[4], const Half2 (&a)[4], const Half2 (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
AXELRAM_DEVICE void mma_f16(float (&d)[4], const Half2 (&a)[4], const Half2 (&b)[2],
                            const float (&c)[4]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%11,%12,%13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]),
        "f"(c[2]), "f"(c[3]));
}
AXELRAM_DEVICE void mma_f16(float (&c)[4], const Half2 (&a)[2], Half2 b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}
AXELRAM_DEVICE std::uint32_t transpose_matrix(std::uint32_t row) {
  std::uint32_t column;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(column) : "r"(row));
  return column;
}
AXELRAM_DEVICE void load_matrices(std::uint32_t (&r)[4], const void* row) {
  const auto from = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from)
               : "memory");
}
AXELRAM_DEVICE void load_matrices_transposed(std::uint32_t (&r)[4], const void* row) {
  const auto from = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from)
               : "memory");
}

}  // namespace axelram::kernels
