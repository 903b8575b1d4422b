#include "attention/attend.cuh"

namespace axelram::kernels {

AttendKernel attend_trellis_keys(int head_dim, int bits) {
  return visit_shape(head_dim, bits,
                     [](auto d, auto b) { return attend_kernel<d, b, 0, UncodedTrellis>(); });
}

AttendKernel attend_fp16_keys_trellis(int head_dim, int value_bits) {
  return visit_shape(head_dim, value_bits,
                     [](auto d, auto b) { return attend_kernel<d, 0, b, UncodedTrellis>(); });
}

}  // namespace axelram::kernels
