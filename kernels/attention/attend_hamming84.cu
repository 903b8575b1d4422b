#include "attention/attend.cuh"

namespace axelram::kernels {

AttendKernel attend_hamming84(int head_dim, int bits, bool fp16_values) {
  return attend_coded<HammingCoder<8>>(head_dim, bits, fp16_values);
}

}  // namespace axelram::kernels
