#pragma once

// The instructions that kernels use: with nvcc those of the device, otherwise their
// emulation, so that the same sources run on a CPU (kernels/emulated).

#ifdef __CUDACC__

#define AXELRAM_KERNEL __global__
/// Functions of a unit: for device and host.
#define AXELRAM_HD __host__ __device__ __forceinline__
/// Functions that need a warp or a block.
#define AXELRAM_DEVICE __device__ __forceinline__
#define AXELRAM_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#define AXELRAM_RESTRICT __restrict__
#define AXELRAM_UNROLL _Pragma("unroll")
/// For rarely executed loops: do not unroll, keep the code small.
#define AXELRAM_ROLLED _Pragma("unroll 1")
#define AXELRAM_UNROLL_BY_4 _Pragma("unroll 4")
#include "device/cuda_intrinsics.cuh"  // IWYU pragma: export
#include "device/scalar.cuh"           // IWYU pragma: export

#else

#define AXELRAM_KERNEL
#define AXELRAM_HD inline
#define AXELRAM_DEVICE inline
#define AXELRAM_BOUNDS(threads, blocks)
#define AXELRAM_RESTRICT
#define AXELRAM_UNROLL
#define AXELRAM_ROLLED
#define AXELRAM_UNROLL_BY_4
#include "device/scalar.cuh"        // IWYU pragma: export
#include "emulated/intrinsics.hpp"  // IWYU pragma: export

#endif
