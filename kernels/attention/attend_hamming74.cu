#include "attention/attend.cuh"

namespace axelram::kernels {

AttendKernel attend_hamming74(int head_dim, int bits, bool fp16_values) {
  return attend_coded<HammingCoder<7>>(head_dim, bits, fp16_values);
}

}  // namespace axelram::kernels
