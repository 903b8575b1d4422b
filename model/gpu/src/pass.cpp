#include "pass.hpp"

#include <algorithm>

#include "axelram/transformer/rotary_table.hpp"
#include "out_of_range.hpp"

namespace axelram::gpu {

void Angles::take(const checkpoints::Rotary& rotary, std::size_t positions, Memory* memory) {
  const std::size_t values = positions * rotary.frequencies.size();
  cosines = memory->take<float>(values);
  sines = memory->take<float>(values);
}

void Angles::upload(const checkpoints::Rotary& rotary, bool interleaved, std::size_t positions,
                    kernels::Stream& stream) {
  if (rotary.frequencies.empty()) return;
  const transformer::RotaryTable table(rotary, interleaved, positions);
  cosines.upload(stream, table.cosines());
  sines.upload(stream, table.sines());
}

Activations::Activations(const checkpoints::Architecture& a, const HeadLayout& heads,
                         const Capacity& capacity, Memory* memory) {
  const std::size_t chunk = capacity.chunk_rows, d = a.head_dim;
  hidden = memory->take<float>(capacity.rows * a.hidden);
  normal = memory->take<float>(chunk * a.hidden);
  queries = memory->take<float>(chunk * a.heads * d);
  keys = memory->take<float>(chunk * a.kv_heads * d);
  values = memory->take<float>(chunk * a.kv_heads * d);
  attended = memory->take<float>(chunk * a.heads * d);
  if (heads.padded_d != d) padded = memory->take<float>(chunk * a.heads * heads.padded_d);
  if (a.gated()) gate = memory->take<float>(chunk * a.ffn);
  up = memory->take<float>(chunk * a.ffn);
  rotary.take(a.rotary, capacity.max_len, memory);
  local_rotary.take(a.local_rotary, capacity.max_len, memory);
  out_of_range = memory->take<unsigned long long>(3 * a.layers);
}

std::size_t Activations::max_values(const checkpoints::Architecture& a, const Capacity& capacity) {
  return capacity.chunk_rows * std::max({a.hidden, a.heads * a.head_dim, a.ffn});
}

float* Pass::at(Activation activation) const {
  switch (activation) {
    case Activation::hidden:
      return buffers_.hidden.data() + first_ * a_.hidden;
    case Activation::normal:
      return buffers_.normal.data();
    case Activation::queries:
      return buffers_.queries.data();
    case Activation::keys:
      return buffers_.keys.data();
    case Activation::values:
      return buffers_.values.data();
    case Activation::attended:
      return buffers_.attended.data();
    case Activation::gate:
      return buffers_.gate.data();
    case Activation::up:
      return buffers_.up.data();
  }
  return nullptr;
}

std::size_t Pass::width(Activation activation) const {
  switch (activation) {
    case Activation::hidden:
    case Activation::normal:
      return a_.hidden;
    case Activation::queries:
    case Activation::attended:
      return a_.heads * a_.head_dim;
    case Activation::keys:
    case Activation::values:
      return a_.kv_heads * a_.head_dim;
    case Activation::gate:
    case Activation::up:
      return a_.ffn;
  }
  return 0;
}

void Pass::norm(const float* x, std::size_t rows, const DeviceVector& weight,
                const DeviceVector& bias, float* y) {
  if (a_.layer_norm)
    kernels::layer_norm(stream_, x, rows, a_.hidden, weight.data(), bias.data(), a_.norm_epsilon,
                        y);
  else
    kernels::rms_norm(stream_, x, rows, a_.hidden, weight.data(), a_.norm_epsilon, y);
}

void Pass::final_norm(const float* x, std::size_t rows, float* y) {
  norm(x, rows, weights_.final_norm(), weights_.final_norm_bias(), y);
}

void Pass::embed() {
  kernels::gather_rows(stream_, weights_.embedding(), batch_->ids(), rows(),
                       buffers_.hidden.data());
}

void Pass::scale_embeddings(float factor) {
  kernels::scale_rows(stream_, buffers_.hidden.data(), rows(), a_.hidden, factor);
}

void Pass::add_positions() {
  kernels::gather_rows(stream_, weights_.positions(), batch_->position(), rows(),
                       buffers_.hidden.data(), kernels::Into::add);
}

void Pass::normalize(Activation from, const DeviceVector& weight, const DeviceVector& bias,
                     Activation to) {
  norm(at(from), count_, weight, bias, at(to));
}

void Pass::normalize_and_add(Activation x, const DeviceVector& weight, Activation to) {
  kernels::rms_norm(stream_, at(x), count_, a_.hidden, weight.data(), a_.norm_epsilon, at(x));
  kernels::add_rows(stream_, at(x), count_, a_.hidden, at(to));
}

void Pass::set_input(Activation input) { product_.left(at(input), count_, width(input)); }

void Pass::project(const DeviceMatrix& w, const DeviceVector& bias, Activation to,
                   kernels::Into into) {
  product_(w.view, at(to), into);
  if (bias.size() != 0) kernels::add_bias(stream_, at(to), count_, w.view.outputs, bias.data());
}

void Pass::normalize_heads(Activation x, std::size_t heads, const DeviceVector& weight) {
  kernels::rms_norm(stream_, at(x), count_ * heads, a_.head_dim, weight.data(), a_.norm_epsilon,
                    at(x));
}

void Pass::apply_rotary(std::size_t layer, Activation x, std::size_t heads) {
  const Angles& table = a_.has_local_rotary(layer) ? buffers_.local_rotary : buffers_.rotary;
  const std::size_t pairs = a_.head_dim / 2;
  const kernels::RotaryAngles angles{table.cosines.data(), table.sines.data(),
                                     table.cosines.size() / pairs, pairs,
                                     a_.positions == checkpoints::Positions::rotary_interleaved};
  kernels::rotate_pairs(stream_, at(x), count_, heads, angles, batch_->position() + first_);
}

void Pass::add_to_rows(Activation x, const DeviceVector& offset) {
  kernels::add_bias(stream_, at(x), count_, offset.size(), offset.data());
}

void Pass::attend(std::size_t layer) {
  Activations& b = buffers_;
  unsigned long long* const out_of_range = b.out_of_range.data() + 3 * layer;
  const int index = static_cast<int>(layer);
  const Chunk keys{batch_, index, first_, count_, out_of_range, out_of_range + 2};
  const Chunk values{batch_, index, first_, count_, out_of_range + 1, nullptr};
  const bool padded = b.padded.size() != 0;
  cache_->attend(stream_, keys, values, b.keys.data(), b.values.data(), b.queries.data(),
                 (padded ? b.padded : b.attended).data());
  if (padded)
    kernels::drop_padding(stream_, b.padded.data(), count_, a_.heads, heads_.padded_d, a_.head_dim,
                          b.attended.data());
}

void Pass::silu_multiply(Activation gate, Activation up) {
  kernels::silu_multiply(stream_, at(gate), count_, a_.ffn, at(up));
}

void Pass::gelu_multiply(Activation gate, Activation up) {
  kernels::gelu_multiply(stream_, at(gate), count_, a_.ffn, at(up));
}

void Pass::gelu(Activation up) { kernels::gelu_tanh(stream_, at(up), count_, a_.ffn); }

void Pass::run(const Batch& batch, PagedCache& cache, std::size_t chunk_rows) {
  batch_ = &batch;
  cache_ = &cache;
  chunk_rows_ = chunk_rows;
  buffers_.out_of_range.fill(stream_, 0xFF);
  cache.begin(stream_);
  transformer::forward(*this, a_);
  check_range(buffers_.out_of_range.download(stream_), batch, cache, heads_);
}

}  // namespace axelram::gpu
