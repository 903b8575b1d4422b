#include "attention/attend.cuh"

namespace axelram::kernels {

AttendKernel attend_split_parts(int head_dim, int value_bits) {
  return attend_two_parts<PartKind::split>(head_dim, value_bits);
}

}  // namespace axelram::kernels
