#include "attention/attend.cuh"

namespace axelram::kernels {

template AttendKernel attend_coded<HammingCoder<7>>(int head_dim, int bits, bool fp16_values);

}  // namespace axelram::kernels
