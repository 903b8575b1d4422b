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
  const auto normalize_and_rotate = [&](Activation x, std::size_t heads, const auto& norm) {
    if (norm.size() != 0) backend.normalize_heads(x, heads, norm);
    if (a.positions != checkpoints::Positions::learned) backend.apply_rotary(x, heads);
  };
  normalize_and_rotate(queries, a.heads, w.q_norm);
  normalize_and_rotate(keys, a.kv_heads, w.k_norm);
  if (w.key_offset.size() != 0) backend.add_to_rows(keys, w.key_offset);
  backend.attend(layer);
  backend.set_input(attended);
  backend.project_and_add(w.o, w.o_bias, hidden);
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
  if (a.gated) {
    backend.project(w.gate, w.gate_bias, gate);
    backend.silu_multiply(gate, up);
  } else {
    backend.gelu(up);
  }
  backend.set_input(up);
  backend.project_and_add(w.down, w.down_bias, hidden);
}

/// Order of operations of a Llama or GPT-2 pass, the same on every backend. Leaves the hidden
/// states before the final norm in Activation::hidden. Each layer processes all rows, chunk_rows()
/// at a time, before the next layer begins.
///
/// A backend provides: rows(), chunk_rows(), select_rows(first, count) for the operations that
/// follow, layer(index) with the members of checkpoints::Layer, embed(), add_positions(), and the
/// operations used above. project() reads the activation that set_input() named.
template <class Backend>
void forward(Backend& backend, const checkpoints::Architecture& a) {
  backend.embed();
  if (a.positions == checkpoints::Positions::learned) backend.add_positions();
  for (std::size_t layer = 0; layer < a.layers; ++layer)
    for (std::size_t first = 0; first < backend.rows(); first += backend.chunk_rows()) {
      backend.select_rows(first, std::min(backend.chunk_rows(), backend.rows() - first));
      attention_block(backend, a, layer);
      feed_forward_block(backend, a, layer);
    }
}

}  // namespace axelram::transformer
