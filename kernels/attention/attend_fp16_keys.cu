#include "attention/attend.cuh"

namespace axelram::kernels {
namespace {

template <int kDim>
AttendKernel of_bits(int bits) {
  if (bits == 0) return attend_kernel<kDim, 0, 0>();
  if (bits == 2) return attend_kernel<kDim, 0, 2>();
  if (bits == 3) return attend_kernel<kDim, 0, 3>();
  return attend_kernel<kDim, 0, 4>();
}

}  // namespace

AttendKernel attend_fp16_keys(int head_dim, int value_bits) {
  return head_dim == 64 ? of_bits<64>(value_bits) : of_bits<128>(value_bits);
}

}  // namespace axelram::kernels
