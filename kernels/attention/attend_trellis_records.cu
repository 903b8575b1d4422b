#include "attention/attend.cuh"

namespace axelram::kernels {

AttendKernel attend_trellis_records(int head_dim, int bits) {
  return visit_shape(head_dim, bits,
                     [](auto d, auto b) { return attend_kernel<d, b, b, UncodedTrellis>(); });
}

}  // namespace axelram::kernels
