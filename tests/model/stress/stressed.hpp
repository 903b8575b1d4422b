#pragma once

#include <map>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "axelram/stress/folder.hpp"
#include "files/support.hpp"
#include "transformer/run_model.hpp"

namespace test {

inline const std::vector<std::string> kCheckpoints = {
    "llama-f32",     "llama-bf16-tied", "llama-f16-bias", "llama-linear",    "llama3-rope",
    "llama-yarn",    "llama-theta",     "mistral",        "mistral-sliding", "qwen2",
    "qwen2-sliding", "qwen2-yarn",      "qwen3",          "gemma3",          "gemma3-d256",
    "gpt2",          "gpt2-bare"};

inline std::string reference(const std::string& name) {
  return AXELRAM_SOURCE "/tests/model/transformer/reference/" + name;
}

/// Text for the reference checkpoints.
struct Tokens {
  std::vector<std::int32_t> ids;  ///< [2, columns]
  std::size_t columns;
};
inline Tokens tokens_of(const std::string& name) {
  const auto file = axelram::files::Safetensors::read(reference(name) + "/expected.safetensors");
  const auto& tokens = file.at("tokens", axelram::files::DataType::i32, 2);
  return {tokens.values<std::int32_t>(), tokens.shape[1]};
}

/// Results of a model on a text, and the inputs of attention by layer, all sequences in order.
struct Seen {
  std::vector<float> logits;
  std::map<std::size_t, std::vector<float>> keys, queries;
};
inline Seen run(const axelram::checkpoints::Checkpoint& checkpoint, const Tokens& tokens) {
  const auto& a = checkpoint.architecture;
  Seen seen;
  seen.logits = logits_of(checkpoint, tokens.ids, tokens.columns, 1,
                          [&](const axelram::transformer::AttentionInputs& inputs) {
                            const std::size_t k = inputs.tokens * a.kv_heads * a.head_dim;
                            const std::size_t q = inputs.tokens * a.heads * a.head_dim;
                            auto& keys = seen.keys[inputs.layer];
                            auto& queries = seen.queries[inputs.layer];
                            keys.insert(keys.end(), inputs.keys, inputs.keys + k);
                            queries.insert(queries.end(), inputs.queries, inputs.queries + q);
                          });
  return seen;
}

/// The model as written and read again.
inline axelram::checkpoints::Checkpoint stressed(const axelram::checkpoints::Checkpoint& checkpoint,
                                                 const axelram::stress::Changes& options) {
  const TemporaryFolder folder;
  axelram::stress::write_model(checkpoint, options, {}, {folder / "out", false, {}});
  return axelram::checkpoints::read_checkpoint(folder / "out");  // the mapping outlives the name
}

}  // namespace test
