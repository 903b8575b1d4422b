#include "attention/attend.cuh"

namespace axelram::kernels {

template AttendKernel attend_coded<HammingCoder<8>>(int head_dim, int bits, bool fp16_values);

}  // namespace axelram::kernels
