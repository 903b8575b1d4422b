#pragma once

#include <cstddef>

#include "attention/attend_arguments.cuh"

/// The kernels of attention, chosen by shape. One source each, so that they compile
/// in parallel. head_dim is 64 or 128, bits 2, 3 or 4; anything else throws DeviceError.
namespace axelram::kernels {

/// A kernel of attend_split and what its launch needs.
struct AttendKernel {
  void (*kernel)(AttendArguments) = nullptr;
  std::size_t (*shared_bytes)(const Pages& keys, const Pages& values) = nullptr;
  int blocks = 0;  ///< resident on a multiprocessor
};

AttendKernel attend_fp16(int head_dim);                       ///< FP16 keys and values
AttendKernel attend_fp16_keys(int head_dim, int value_bits);  ///< FP16 keys, records as values
AttendKernel attend_record_keys(int head_dim, int bits);      ///< records as keys, FP16 values
AttendKernel attend_records(int head_dim, int bits);          ///< records as keys and values

/// The same for records of a trellis.
AttendKernel attend_fp16_keys_trellis(int head_dim, int value_bits);
AttendKernel attend_trellis_keys(int head_dim, int bits);
AttendKernel attend_trellis_records(int head_dim, int bits);

/// Records of two parts as keys. value_bits: of records as values, 0: FP16.
AttendKernel attend_prod(int head_dim, int value_bits);
AttendKernel attend_split_parts(int head_dim, int value_bits);
AttendKernel attend_split_trellis(int head_dim, int value_bits);  ///< trellis in keys and values

/// Codewords as keys, and as values or FP16 values. Coder: HammingCoder<7>, HammingCoder<8> or
/// GolayCoder, each instantiated in attend_CODE.cu.
template <class Coder>
AttendKernel attend_coded(int head_dim, int bits, bool fp16_values);

}  // namespace axelram::kernels
