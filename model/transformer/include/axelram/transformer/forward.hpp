#pragma once

#include <algorithm>
#include <cstddef>

#include "axelram/checkpoints/architecture.hpp"

namespace axelram::transformer {

/// Buffers of a forward pass: one row of floats per token.
enum class Activation {
  hidden,    ///< residual stream, [rows, hidden]
  normal,    ///< normalized hidden states, [rows, hidden]
  queries,   ///< [rows, heads * head_dim]
  keys,      ///< [rows, kv_heads * head_dim]
  values,    ///< [rows, kv_heads * head_dim]
  attended,  ///< result of attention, [rows, heads * head_dim]
  gate,      ///< [rows, ffn]
  up         ///< [rows, ffn]
};

/// hidden += W x + bias, x the input of the backend; with a norm hidden += norm(W x + bias).
template <class Backend, class Matrix, class Vector>
void add_to_stream(Backend& backend, const Matrix& w, const Vector& bias, const Vector& norm) {
  using enum Activation;
  if (norm.size() == 0) return backend.project_and_add(w, bias, hidden);
  backend.project(w, bias, normal);
  backend.normalize_and_add(normal, norm, hidden);
}

/// Attention block of one layer: hidden += W_o attention(rotary(W_q n), rotary(W_k n), W_v n),
/// n = norm(hidden).
template <class Backend>
void attention_block(Backend& backend, const checkpoints::Architecture& a, std::size_t layer) {
  using enum Activation;
  const auto& w = backend.layer(layer);
  backend.normalize(hidden, w.attention_norm, w.attention_norm_bias, normal);
  backend.set_input(normal);
  backend.project(w.q, w.q_bias, queries);
  backend.project(w.k, w.k_bias, keys);
  backend.project(w.v, w.v_bias, values);
  const auto normalize = [&](Activation x, std::size_t heads, const auto& norm) {
    if (norm.size() != 0) backend.normalize_heads(x, heads, norm);
  };
  normalize(queries, a.heads, w.q_norm);
  normalize(keys, a.kv_heads, w.k_norm);
  backend.keys_are_unturned(layer);
  if (a.positions != checkpoints::Positions::learned) {
    backend.apply_rotary(layer, queries, a.heads);
    backend.apply_rotary(layer, keys, a.kv_heads);
  }
  if (w.key_offset.size() != 0) backend.add_to_rows(keys, w.key_offset);
  backend.attend(layer);
  backend.set_input(attended);
  add_to_stream(backend, w.o, w.o_bias, w.attention_post_norm);
}

/// Feed-forward block of one layer: hidden += W_down activation(W_up n, W_gate n), n =
/// norm(hidden).
template <class Backend>
void feed_forward_block(Backend& backend, const checkpoints::Architecture& a, std::size_t layer) {
  using enum Activation;
  const auto& w = backend.layer(layer);
  backend.normalize(hidden, w.ffn_norm, w.ffn_norm_bias, normal);
  backend.set_input(normal);
  backend.project(w.up, w.up_bias, up);
  if (a.gated()) backend.project(w.gate, w.gate_bias, gate);
  switch (a.feed_forward) {
    case checkpoints::FeedForward::silu_gated:
      backend.silu_multiply(gate, up);
      break;
    case checkpoints::FeedForward::gelu_gated:
      backend.gelu_multiply(gate, up);
      break;
    case checkpoints::FeedForward::gelu:
      backend.gelu(up);
      break;
  }
  backend.set_input(up);
  add_to_stream(backend, w.down, w.down_bias, w.ffn_post_norm);
}

/// Order of operations of a Llama, Gemma or GPT-2 pass, the same on every backend. Leaves the
/// hidden states before the final norm in Activation::hidden. Each layer processes all rows,
/// chunk_rows() at a time, before the next layer begins.
///
/// A backend provides: rows(), chunk_rows(), select_rows(first, count) for the operations that
/// follow, layer(index) with the members of checkpoints::Layer, embed(), scale_embeddings(factor),
/// add_positions(), keys_are_unturned(layer), which is told that Activation::keys lacks nothing but
/// the rotation and the offset, and the operations used above. project() reads the activation that
/// set_input() named.
template <class Backend>
void forward(Backend& backend, const checkpoints::Architecture& a) {
  backend.embed();
  if (a.embedding_scale != 1) backend.scale_embeddings(static_cast<float>(a.embedding_scale));
  if (a.positions == checkpoints::Positions::learned) backend.add_positions();
  for (std::size_t layer = 0; layer < a.layers; ++layer)
    for (std::size_t first = 0; first < backend.rows(); first += backend.chunk_rows()) {
      backend.select_rows(first, std::min(backend.chunk_rows(), backend.rows() - first));
      attention_block(backend, a, layer);
      feed_forward_block(backend, a, layer);
    }
}

}  // namespace axelram::transformer
