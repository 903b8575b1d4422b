#include "attention/attend.cuh"

namespace axelram::kernels {

AttendKernel attend_prod(int head_dim, int value_bits) {
  return attend_two_parts<PartKind::prod>(head_dim, value_bits);
}

}  // namespace axelram::kernels
