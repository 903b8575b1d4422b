#pragma once

#include <vector>

#include "axelram/kernels/layers.hpp"
#include "axelram/kernels/matrix_product.hpp"
#include "axelram/transformer/forward.hpp"
#include "device_weights.hpp"
#include "paged_cache.hpp"

namespace axelram::gpu {

using transformer::Activation;

/// Cosines and sines of a rotary embedding in device memory.
struct Angles {
  void take(const checkpoints::Rotary& rotary, std::size_t positions, Memory* memory);
  void upload(const checkpoints::Rotary& rotary, bool interleaved, std::size_t positions,
              kernels::Stream& stream);

  kernels::Buffer<float> cosines, sines;  ///< [positions, pairs]
};

/// Device memory of the activations of a pass, in floats.
struct Activations {
  Activations(const checkpoints::Architecture& a, const HeadLayout& heads, const Capacity& capacity,
              Memory* memory);
  /// The largest left factor of a product.
  static std::size_t max_values(const checkpoints::Architecture& a, const Capacity& capacity);

  kernels::Buffer<float> hidden;                           ///< [rows, hidden]
  kernels::Buffer<float> normal;                           ///< [chunk, hidden]
  kernels::Buffer<float> queries, keys, values, attended;  ///< [chunk, heads * d]
  kernels::Buffer<float> padded;                           ///< [chunk, heads * padded_d], or none
  kernels::Buffer<float> gate, up;                         ///< [chunk, ffn]
  Angles rotary, local_rotary;                             ///< [max_len, pairs]
  kernels::Buffer<unsigned long long> out_of_range;        ///< [layers, 3]: keys, values, queries
};

/// Backend of transformer::forward() on the device: each layer processes a chunk of rows at a time.
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

  /// Leaves the hidden states before the final norm in Activations::hidden. Throws
  /// files::InputError for a key, value or query that the cache cannot represent.
  void run(const Batch& batch, PagedCache& cache, std::size_t chunk_rows);
  /// y = the final norm of x [rows, hidden]; y may be x.
  void final_norm(const float* x, std::size_t rows, float* y);

  std::size_t rows() const { return batch_->rows(); }
  std::size_t chunk_rows() const { return chunk_rows_; }
  void select_rows(std::size_t first, std::size_t count) {
    first_ = first;
    count_ = count;
  }
  const DeviceLayer& layer(std::size_t index) const { return weights_.layers()[index]; }

  void embed();
  void scale_embeddings(float factor);
  void add_positions();
  void normalize(Activation from, const DeviceVector& weight, const DeviceVector& bias,
                 Activation to);
  /// to += x with the root mean square of its rows normalized. Overwrites x.
  void normalize_and_add(Activation x, const DeviceVector& weight, Activation to);
  void set_input(Activation input);
  void project(const DeviceMatrix& w, const DeviceVector& bias, Activation to,
               kernels::Into into = kernels::Into::overwrite);
  void project_and_add(const DeviceMatrix& w, const DeviceVector& bias, Activation to) {
    project(w, bias, to, kernels::Into::add);
  }
  void normalize_heads(Activation x, std::size_t heads, const DeviceVector& weight);
  void keys_are_unturned(std::size_t) {}
  void apply_rotary(std::size_t layer, Activation x, std::size_t heads);
  void add_to_rows(Activation x, const DeviceVector& offset);
  void attend(std::size_t layer);
  void silu_multiply(Activation gate, Activation up);
  void gelu_multiply(Activation gate, Activation up);
  void gelu(Activation up);

 private:
  /// The rows of the chunk.
  float* at(Activation activation) const;
  std::size_t width(Activation activation) const;
  void norm(const float* x, std::size_t rows, const DeviceVector& weight, const DeviceVector& bias,
            float* y);

  const checkpoints::Architecture& a_;
  const HeadLayout& heads_;
  const DeviceWeights& weights_;
  Activations& buffers_;
  kernels::Stream& stream_;
  kernels::MatrixProduct& product_;
  const Batch* batch_ = nullptr;
  PagedCache* cache_ = nullptr;
  std::size_t chunk_rows_ = 0, first_ = 0, count_ = 0;
};

}  // namespace axelram::gpu
