#include "pass.hpp"

#include <algorithm>

#include "out_of_range.hpp"

namespace axelram::gpu {

Activations::Activations(const checkpoints::Architecture& a, const HeadLayout& heads,
                         const Capacity& capacity, Memory* memory) {
  const std::size_t chunk = capacity.chunk_rows, d = a.head_dim;
  x = memory->take<float>(capacity.rows * a.hidden);
  normal = memory->take<float>(chunk * a.hidden);
  queries = memory->take<float>(chunk * a.heads * d);
  keys = memory->take<float>(chunk * a.kv_heads * d);
  values = memory->take<float>(chunk * a.kv_heads * d);
  mixed = memory->take<float>(chunk * a.heads * d);
  if (heads.padded_d != d) padded = memory->take<float>(chunk * a.heads * heads.padded_d);
  if (a.gated) gate = memory->take<float>(chunk * a.ffn);
  up = memory->take<float>(chunk * a.ffn);
  cosines = memory->take<float>(capacity.max_len * a.rotary.frequencies.size());
  sines = memory->take<float>(cosines.size());
  if (memory->plans()) memory->add(capacity.max_len * a.rotary.frequencies.size() * sizeof(float));
  out_of_range = memory->take<unsigned long long>(3 * a.layers);
}

std::size_t Activations::max_values(const checkpoints::Architecture& a, const Capacity& capacity) {
  return capacity.chunk_rows * std::max({a.hidden, a.heads * a.head_dim, a.ffn});
}

void Pass::normalize(const float* x, std::size_t rows, const DeviceVector& weight,
                     const DeviceVector& bias, float* y) {
  if (a_.layer_norm)
    kernels::layer_norm(stream_, x, rows, a_.hidden, weight.data(), bias.data(), a_.norm_epsilon,
                        y);
  else
    kernels::rms_norm(stream_, x, rows, a_.hidden, weight.data(), a_.norm_epsilon, y);
}

void Pass::final_norm(const float* x, std::size_t rows, float* y) {
  normalize(x, rows, weights_.final_norm(), weights_.final_norm_bias(), y);
}

void Pass::project(const DeviceMatrix& w, const DeviceVector& bias, std::size_t rows, float* y,
                   kernels::Into into) {
  product_(w.view, y, into);
  if (bias.size() != 0) kernels::add_bias(stream_, y, rows, w.view.outputs, bias.data());
}

void Pass::place(float* x, std::size_t rows, std::size_t heads, const DeviceVector& norm,
                 const std::int32_t* position) {
  if (norm.size() != 0)
    kernels::rms_norm(stream_, x, rows * heads, a_.head_dim, norm.data(), a_.norm_epsilon, x);
  if (a_.positions == checkpoints::Positions::learned) return;
  const kernels::RotaryAngles angles{buffers_.cosines.data(), buffers_.sines.data(),
                                     buffers_.cosines.size() / a_.rotary.frequencies.size(),
                                     a_.rotary.frequencies.size(),
                                     a_.positions == checkpoints::Positions::rotary_interleaved};
  kernels::rotate_pairs(stream_, x, rows, heads, angles, position);
}

void Pass::attention(const DeviceLayer& w, const Batch& batch, PagedCache& cache, int layer,
                     std::size_t first, std::size_t count) {
  Activations& b = buffers_;
  float* const x = b.x.data() + first * a_.hidden;
  normalize(x, count, w.attention_norm, w.attention_norm_bias, b.normal.data());
  product_.left(b.normal.data(), count, a_.hidden);
  project(w.q, w.q_bias, count, b.queries.data());
  project(w.k, w.k_bias, count, b.keys.data());
  project(w.v, w.v_bias, count, b.values.data());
  const std::int32_t* const position = batch.position() + first;
  place(b.queries.data(), count, a_.heads, w.q_norm, position);
  place(b.keys.data(), count, a_.kv_heads, w.k_norm, position);
  if (w.key_offset.size() != 0)
    kernels::add_bias(stream_, b.keys.data(), count, w.key_offset.size(), w.key_offset.data());

  unsigned long long* const out_of_range = b.out_of_range.data() + 3 * layer;
  const Chunk keys{&batch, layer, first, count, out_of_range, out_of_range + 2};
  const Chunk values{&batch, layer, first, count, out_of_range + 1, nullptr};
  const bool padded = b.padded.size() != 0;
  cache.attend(stream_, keys, values, b.keys.data(), b.values.data(), b.queries.data(),
               (padded ? b.padded : b.mixed).data());
  if (padded)
    kernels::drop_padding(stream_, b.padded.data(), count, a_.heads, heads_.padded_d, a_.head_dim,
                          b.mixed.data());
  product_.left(b.mixed.data(), count, a_.heads * a_.head_dim);
  project(w.o, w.o_bias, count, x, kernels::Into::add);
}

void Pass::feed_forward(const DeviceLayer& w, float* x, std::size_t count) {
  Activations& b = buffers_;
  normalize(x, count, w.ffn_norm, w.ffn_norm_bias, b.normal.data());
  product_.left(b.normal.data(), count, a_.hidden);
  project(w.up, w.up_bias, count, b.up.data());
  if (a_.gated) {
    project(w.gate, w.gate_bias, count, b.gate.data());
    kernels::silu_multiply(stream_, b.gate.data(), count, a_.ffn, b.up.data());
  } else {
    kernels::gelu_tanh(stream_, b.up.data(), count, a_.ffn);
  }
  product_.left(b.up.data(), count, a_.ffn);
  project(w.down, w.down_bias, count, x, kernels::Into::add);
}

void Pass::run(const Batch& batch, PagedCache& cache, std::size_t chunk_rows) {
  buffers_.out_of_range.fill(stream_, 0xFF);
  cache.begin(stream_);
  kernels::gather_rows(stream_, weights_.embedding(), batch.ids(), batch.rows(), buffers_.x.data());
  if (a_.positions == checkpoints::Positions::learned)
    kernels::gather_rows(stream_, weights_.positions(), batch.position(), batch.rows(),
                         buffers_.x.data(), kernels::Into::add);
  for (std::size_t layer = 0; layer < a_.layers; ++layer)
    for (std::size_t first = 0; first < batch.rows(); first += chunk_rows) {
      const std::size_t count = std::min(chunk_rows, batch.rows() - first);
      const DeviceLayer& w = weights_.layers()[layer];
      attention(w, batch, cache, static_cast<int>(layer), first, count);
      feed_forward(w, buffers_.x.data() + first * a_.hidden, count);
    }
  check_range(buffers_.out_of_range.download(stream_), batch, cache, heads_);
}

}  // namespace axelram::gpu
