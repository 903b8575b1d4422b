#include "attention/attend.cuh"

namespace axelram::kernels {
namespace {

template <int kDim>
AttendKernel of_bits(int bits) {
  if (bits == 2) return attend_kernel<kDim, 2, 2>();
  if (bits == 3) return attend_kernel<kDim, 3, 3>();
  return attend_kernel<kDim, 4, 4>();
}

}  // namespace

AttendKernel attend_records(int head_dim, int bits) {
  return head_dim == 64 ? of_bits<64>(bits) : of_bits<128>(bits);
}

}  // namespace axelram::kernels
