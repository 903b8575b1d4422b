#pragma once

#include <vector>

#include "axelram/kernels/layers.hpp"
#include "axelram/kernels/matrix_product.hpp"
#include "device_weights.hpp"
#include "paged_cache.hpp"

namespace axelram::gpu {

/// Memory of the activations of a pass, in floats.
struct Activations {
  Activations(const checkpoints::Architecture& a, const HeadLayout& heads, const Capacity& capacity,
              Memory* memory);
  /// The largest left factor of a product.
  static std::size_t max_values(const checkpoints::Architecture& a, const Capacity& capacity);

  kernels::Buffer<float> x;                             ///< [rows, hidden]
  kernels::Buffer<float> normal;                        ///< [chunk, hidden]
  kernels::Buffer<float> queries, keys, values, mixed;  ///< [chunk, heads * d]
  kernels::Buffer<float> padded;                        ///< [chunk, heads * padded_d], or none
  kernels::Buffer<float> gate, up;                      ///< [chunk, ffn]
  kernels::Buffer<float> cosines, sines;                ///< [max_len, pairs]
  kernels::Buffer<unsigned long long> out_of_range;     ///< [layers, 3]: keys, values, queries
};

/// The forward pass of transformer::Pass, a layer at a time, in each a chunk of rows at a time.
class Pass {
 public:
  Pass(const checkpoints::Architecture& architecture, const HeadLayout& heads,
       const DeviceWeights& weights, Activations& activations, kernels::Stream& stream,
       kernels::MatrixProduct& product)
      : a_(architecture),
        heads_(heads),
        weights_(weights),
        buffers_(activations),
        stream_(stream),
        product_(product) {}

  /// Leaves the hidden states before the final norm in Activations::x. Throws files::InputError for
  /// a key, value or query that the cache has no numbers for.
  void run(const Batch& batch, PagedCache& cache, std::size_t chunk_rows);
  /// y = the final norm of x [rows, hidden]; y may be x.
  void final_norm(const float* x, std::size_t rows, float* y);

 private:
  void attention(const DeviceLayer& w, const Batch& batch, PagedCache& cache, int layer,
                 std::size_t first, std::size_t count);
  void feed_forward(const DeviceLayer& w, float* x, std::size_t count);
  void normalize(const float* x, std::size_t rows, const DeviceVector& weight,
                 const DeviceVector& bias, float* y);
  /// y (+)= left factor * W^T + bias.
  void project(const DeviceMatrix& w, const DeviceVector& bias, std::size_t rows, float* y,
               kernels::Into into = kernels::Into::overwrite);
  void place(float* x, std::size_t rows, std::size_t heads, const DeviceVector& norm,
             const std::int32_t* position);

  const checkpoints::Architecture& a_;
  const HeadLayout& heads_;
  const DeviceWeights& weights_;
  Activations& buffers_;
  kernels::Stream& stream_;
  kernels::MatrixProduct& product_;
};

}  // namespace axelram::gpu
