#pragma once

#include <memory>
#include <string>
#include <vector>

#include "axelram/checkpoints/architecture.hpp"
#include "axelram/checkpoints/matrix.hpp"

namespace axelram::checkpoints {

/// Weights of one layer of a checkpoint with Coda. What it does not have is empty.
struct CodaWeights {
  std::vector<float> theta;  ///< heads * d/2 radians, finite: angles between both queries of a
                             ///< head; empty: no differential attention
  Matrix lambda;             ///< heads outputs, of the attention block's normed input
  std::vector<float> lambda_bias;
  Matrix write;  ///< 1 or kv_heads outputs, likewise: logits of the write gate
  std::vector<float> write_bias;
  std::vector<float> summary_eta_logit;  ///< kv_heads
  std::vector<float> head_norm;          ///< heads * d
};

/// Weights of one layer. Vectors that a family does not have are empty.
struct Layer {
  std::vector<float> attention_norm, attention_norm_bias;  ///< hidden
  Matrix q, k, v, o;  ///< heads * d, kv_heads * d, kv_heads * d, hidden outputs
  std::vector<float> q_bias, k_bias, v_bias, o_bias;
  std::vector<float> attention_post_norm;  ///< hidden: of the block's output (Gemma)
  std::vector<float> q_norm, k_norm;  ///< head_dim: root mean square of every head (Qwen3, Gemma)
  std::vector<float> key_offset;      ///< kv_heads * d, added to every key after rotary embedding
  std::vector<float> ffn_norm, ffn_norm_bias;  ///< hidden
  std::vector<float> ffn_post_norm;            ///< hidden: of the block's output (Gemma)
  CodaWeights coda;
  Matrix gate, up, down;
  std::vector<float> gate_bias, up_bias, down_bias;
};

/// A language model's architecture and weights; matrices stay in the mapped files.
struct Checkpoint {
  std::string path;
  Architecture architecture;
  Matrix embedding;  ///< vocabulary x hidden
  Matrix positions;  ///< max_positions x hidden, if learned
  std::vector<Layer> layers;
  std::vector<float> final_norm, final_norm_bias;  ///< hidden
  Matrix head;                                     ///< vocabulary x hidden; the embedding if tied

  std::vector<std::shared_ptr<const void>> files;  ///< keeps the mappings
};

/// A checkpoint by its path: a Hugging Face directory (config.json, and model.safetensors or the
/// shards of model.safetensors.index.json; Llama, Mistral, Qwen2, Qwen3, Gemma 3, GPT-2; F32, F16,
/// BF16), a GGUF file of one of these architectures, or a llama2.c file with the legacy header.
/// Every tensor must have the architecture's shape, and no tensor may be unknown. The tensor
/// `...self_attn.key_offset` F32 [kv_heads * d] is an extension of this project: a constant added
/// to all keys of a layer after rotary embedding, which does not change the softmax. If config.json
/// has `coda`, a layer may have the tensors of CodaWeights, in `...self_attn.`: theta [heads, d/2]
/// with lambda_proj.weight and .bias; write_proj.weight and .bias; summary_eta_logit;
/// head_norm.weight [d] or [heads, d]. Throws files::InputError: file, tensor or key, what is wrong
/// and what would be right.
Checkpoint read_checkpoint(const std::string& path);

/// The SHA-256 of a checkpoint's tensors (bit-contract.md#tier-constants): of their elements as the
/// files store them, in ascending order of the names in the files; of a llama2.c file, which has no
/// names, all its bytes. Reads everything. Throws files::InputError for files that are none.
std::string digest_of(const std::string& path);

/// The SHA-256 by which a state file names its model (bit-contract.md#memory-file): of names,
/// types, shapes and elements of a directory's tensors in byte order of the names, then of
/// config.json; of another file, all its bytes. Reads everything. Throws files::InputError for
/// files that are none.
std::string identity_of(const std::string& path);

/// Replaces all matrices by copies in F16 in memory, each value rounded to the nearest. Throws
/// files::InputError for a value beyond F16.
void hold_as_f16(Checkpoint* checkpoint);

}  // namespace axelram::checkpoints
