#include "attention/attend.cuh"

namespace axelram::kernels {

AttendKernel attend_split_trellis(int head_dim, int value_bits) {
  return attend_two_parts<PartKind::split_trellis>(head_dim, value_bits);
}

}  // namespace axelram::kernels
