#include "device_weights.hpp"

#include <algorithm>

namespace axelram::gpu {
namespace {

/// Bytes that are copied at once: all that the host ever holds of the weights beside the mapping.
constexpr std::size_t kPiece = std::size_t{16} << 20;

/// Type on the device. Blocks become floats.
weights::Type type_on_device(const checkpoints::Matrix& m) {
  return weights::is_plain(m.type) && m.paired_head == 0 ? m.type : weights::Type::f32;
}

kernels::WeightType type_of(weights::Type type) {
  return type == weights::Type::f32   ? kernels::WeightType::f32
         : type == weights::Type::f16 ? kernels::WeightType::f16
                                      : kernels::WeightType::bf16;
}

class Uploader {
 public:
  Uploader(Memory* memory, kernels::Stream* stream) : memory_(memory), stream_(stream) {}

  DeviceMatrix matrix(const checkpoints::Matrix& m) {
    DeviceMatrix result;
    if (m.data == nullptr) return result;
    const weights::Type type = type_on_device(m);
    result.bytes = memory_->take<std::uint8_t>(weights::bytes_of(type, m.outputs * m.inputs));
    result.view = {result.bytes.data(), type_of(type), m.outputs, m.inputs, m.transposed};
    if (memory_->plans()) return result;
    if (type == m.type && m.paired_head == 0)
      upload(m, result.bytes.data());
    else
      upload_floats(m, result.bytes.data());
    return result;
  }

  DeviceVector vector(const std::vector<float>& values) {
    DeviceVector result = memory_->take<float>(values.size());
    if (!memory_->plans()) result.upload(*stream_, values);
    return result;
  }

 private:
  /// Lines of the file, rows or columns, one after the other without gaps.
  void upload(const checkpoints::Matrix& m, std::uint8_t* to) {
    const std::size_t size = weights::bytes_of(m.type, 1);
    const std::size_t lines = m.transposed ? m.inputs : m.outputs;
    const std::size_t line = (m.transposed ? m.outputs : m.inputs) * size;
    if (m.stride * size == line) return copy(m.data, lines * line, to);
    const std::size_t at_once = std::clamp<std::size_t>(kPiece / std::max<std::size_t>(line, 1), 1,
                                                        std::max<std::size_t>(lines, 1));
    staging_.resize(at_once * line);
    for (std::size_t first = 0; first < lines; first += at_once) {
      const std::size_t count = std::min(at_once, lines - first);
      for (std::size_t i = 0; i < count; ++i)
        std::copy_n(m.data + (first + i) * m.stride * size, line, &staging_[i * line]);
      kernels::copy_to_device(*stream_, to + first * line, staging_.data(), count * line);
    }
  }

  void upload_floats(const checkpoints::Matrix& m, std::uint8_t* to) {
    const std::size_t at_once = std::clamp<std::size_t>(kPiece / (m.inputs * sizeof(float)), 1,
                                                        std::max<std::size_t>(m.outputs, 1));
    std::vector<float> rows(at_once * m.inputs);
    for (std::size_t first = 0; first < m.outputs; first += at_once) {
      const std::size_t count = std::min(at_once, m.outputs - first);
      m.rows(first, count, rows.data());
      kernels::copy_to_device(*stream_, to + first * m.inputs * sizeof(float), rows.data(),
                              count * m.inputs * sizeof(float));
    }
  }

  void copy(const std::uint8_t* from, std::size_t bytes, std::uint8_t* to) {
    for (std::size_t at = 0; at < bytes; at += kPiece)
      kernels::copy_to_device(*stream_, to + at, from + at, std::min(kPiece, bytes - at));
  }

  Memory* memory_;
  kernels::Stream* stream_;
  std::vector<std::uint8_t> staging_;
};

DeviceLayer layer_of(const checkpoints::Layer& from, Uploader* uploader) {
  DeviceLayer to;
  to.attention_norm = uploader->vector(from.attention_norm);
  to.attention_norm_bias = uploader->vector(from.attention_norm_bias);
  to.attention_post_norm = uploader->vector(from.attention_post_norm);
  to.ffn_post_norm = uploader->vector(from.ffn_post_norm);
  to.q = uploader->matrix(from.q);
  to.k = uploader->matrix(from.k);
  to.v = uploader->matrix(from.v);
  to.o = uploader->matrix(from.o);
  to.q_bias = uploader->vector(from.q_bias);
  to.k_bias = uploader->vector(from.k_bias);
  to.v_bias = uploader->vector(from.v_bias);
  to.o_bias = uploader->vector(from.o_bias);
  to.q_norm = uploader->vector(from.q_norm);
  to.k_norm = uploader->vector(from.k_norm);
  to.key_offset = uploader->vector(from.key_offset);
  to.ffn_norm = uploader->vector(from.ffn_norm);
  to.ffn_norm_bias = uploader->vector(from.ffn_norm_bias);
  to.gate = uploader->matrix(from.gate);
  to.up = uploader->matrix(from.up);
  to.down = uploader->matrix(from.down);
  to.gate_bias = uploader->vector(from.gate_bias);
  to.up_bias = uploader->vector(from.up_bias);
  to.down_bias = uploader->vector(from.down_bias);
  return to;
}

}  // namespace

DeviceWeights::DeviceWeights(const checkpoints::Checkpoint& checkpoint, Memory* memory,
                             kernels::Stream* stream) {
  Uploader uploader(memory, stream);
  embedding_ = uploader.matrix(checkpoint.embedding);
  positions_ = uploader.matrix(checkpoint.positions);
  if (checkpoint.head.data != checkpoint.embedding.data) head_ = uploader.matrix(checkpoint.head);
  for (const checkpoints::Layer& layer : checkpoint.layers)
    layers_.push_back(layer_of(layer, &uploader));
  final_norm_ = uploader.vector(checkpoint.final_norm);
  final_norm_bias_ = uploader.vector(checkpoint.final_norm_bias);
}

}  // namespace axelram::gpu
