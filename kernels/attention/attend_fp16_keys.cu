#include "attention/attend.cuh"

namespace axelram::kernels {

AttendKernel attend_fp16(int head_dim) {
  return visit_head_dim(head_dim, [](auto d) { return attend_kernel<d, 0, 0>(); });
}

AttendKernel attend_fp16_keys(int head_dim, int value_bits) {
  return visit_shape(head_dim, value_bits, [](auto d, auto b) { return attend_kernel<d, 0, b>(); });
}

}  // namespace axelram::kernels
