#include "attention/attend.cuh"

namespace axelram::kernels {

AttendKernel attend_golay24(int head_dim, int bits, bool fp16_values) {
  return attend_coded<GolayCoder>(head_dim, bits, fp16_values);
}

}  // namespace axelram::kernels
