#pragma once

#include "axelram/files/result.hpp"

namespace axelram::files {

/// Calls f(name, type, shape, vector) for the tensors of attention, which follow those of scores. R
/// is Result or const Result, with attention.
template <class R, class F>
void for_each_attention_tensor(R& r, F&& f) {
  const std::uint64_t t = r.tokens;
  const std::uint64_t q = r.queries;
  const auto d = static_cast<std::uint64_t>(r.head_dim);
  auto& a = *r.attention;
  f("value_indices", DataType::u8, Shape{t, d}, a.value_indices);
  f("value_norms", DataType::f16, Shape{t}, a.value_norms);
  f("value_records", DataType::u8, Shape{t, r.record_bytes()}, a.value_records);
  if (r.codeword_bytes != 0)
    f("value_codewords", DataType::u8, Shape{t, r.codeword_bytes}, a.value_codewords);
  f("logits", DataType::i32, Shape{q, t}, a.logits);
  f("weights", DataType::i32, Shape{q, t}, a.weights);
  f("weight_references", DataType::i32, Shape{q, t}, a.weight_references);
  f("maxima", DataType::i32, Shape{q}, a.maxima);
  f("denominators", DataType::u64, Shape{q}, a.denominators);
  f("sums", DataType::i64, Shape{q, d}, a.sums);
  f("output_shifts", DataType::i32, Shape{q}, a.output_shifts);
  f("rotated_outputs", DataType::i32, Shape{q, d}, a.rotated_outputs);
  f("reciprocals", DataType::u32, Shape{q}, a.reciprocals);
  if (a.output == OutputFormat::fp16) f("outputs", DataType::f16, Shape{q, d}, a.half_outputs);
  if (a.output == OutputFormat::fp32) f("outputs", DataType::f32, Shape{q, d}, a.float_outputs);
  if (a.refused) f("refused", DataType::u8, Shape{r.command_count}, *a.refused);
}

/// Adds softmax_scale, value_scale and weight_bits.
void add_attention_metadata(const AttentionTensors& attention, Metadata* metadata);

/// Formats and metadata of a file with attention; nothing without. The tensors are left empty.
/// Throws InputError.
std::optional<AttentionTensors> attention_in(const Safetensors& file);

}  // namespace axelram::files
