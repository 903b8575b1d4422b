#include <cublas_v2.h>

#include <limits>
#include <string>

#include "layers/gemm.hpp"

namespace axelram::kernels {
namespace {

void check(cublasStatus_t status, const std::string& what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(what + ": " + cublasGetStatusName(status) + ", " +
                      cublasGetStatusString(status));
}

int size_of(std::size_t size, const std::string& what) {
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw DeviceError(what + ": sizes up to 2147483647 fit");
  return static_cast<int>(size);
}

}  // namespace

struct Gemm::State {
  cublasHandle_t handle = nullptr;
  Stream* stream = nullptr;
};

Gemm::Gemm(Stream& stream) : state_(std::make_unique<State>()) {
  state_->stream = &stream;
  check(cublasCreate(&state_->handle), "starting cuBLAS");
  check(cublasSetStream(state_->handle, static_cast<cudaStream_t>(stream.native())),
        "giving cuBLAS a stream");
  check(cublasSetPointerMode(state_->handle, CUBLAS_POINTER_MODE_DEVICE),
        "giving cuBLAS factors in device memory");
}

Gemm::~Gemm() {
  if (state_->handle != nullptr) static_cast<void>(cublasDestroy(state_->handle));
}

/// Rows of C++ are columns of cuBLAS: y^T = W x^T.
void Gemm::operator()(const WeightMatrix& w, const void* x, std::size_t rows, const float* alpha,
                      const float* beta, float* y) {
  const std::string text = "cublasGemmEx([" + std::to_string(rows) + ", " +
                           std::to_string(w.inputs) + "] x [" + std::to_string(w.outputs) + ", " +
                           std::to_string(w.inputs) + "]" + (w.transposed ? " transposed" : "") +
                           ")";
  if (rows == 0 || w.outputs == 0 || w.inputs == 0) return;
  const int m = size_of(w.outputs, text), n = size_of(rows, text), k = size_of(w.inputs, text);
  const bool whole = w.type == WeightType::f32;
  const cudaDataType_t type = whole                       ? CUDA_R_32F
                              : w.type == WeightType::f16 ? CUDA_R_16F
                                                          : CUDA_R_16BF;
  // Pedantic keeps FP32 factors from becoming TF32; of 16-bit factors it would leave the tensor
  // cores unused, whose products are exact and whose sums are FP32.
  const cublasComputeType_t compute = whole ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F;
  state_->stream->remember(text);
  check(cublasGemmEx(state_->handle, w.transposed ? CUBLAS_OP_N : CUBLAS_OP_T, CUBLAS_OP_N, m, n, k,
                     alpha, w.data, type, w.transposed ? m : k, x, type, k, beta, y, CUDA_R_32F, m,
                     compute, CUBLAS_GEMM_DEFAULT),
        text);
}

}  // namespace axelram::kernels
