#include "gguf_names.hpp"

#include <array>
#include <string_view>

namespace axelram::checkpoints {
namespace {

struct Pair {
  std::string_view gguf, folder;
};

// Llama, Qwen2, Qwen3 and Gemma 3. Names of a layer follow its prefix.
constexpr std::array<Pair, 4> kLlama = {{{"token_embd.weight", "model.embed_tokens.weight"},
                                         {"output_norm.weight", "model.norm.weight"},
                                         {"output.weight", "lm_head.weight"},
                                         {kRotaryFactors, kRotaryFactors}}};
constexpr std::array<Pair, 18> kLlamaLayer = {{
    {"attn_norm.weight", "input_layernorm.weight"},
    {"attn_q.weight", "self_attn.q_proj.weight"},
    {"attn_k.weight", "self_attn.k_proj.weight"},
    {"attn_v.weight", "self_attn.v_proj.weight"},
    {"attn_output.weight", "self_attn.o_proj.weight"},
    {"attn_q.bias", "self_attn.q_proj.bias"},
    {"attn_k.bias", "self_attn.k_proj.bias"},
    {"attn_v.bias", "self_attn.v_proj.bias"},
    {"attn_output.bias", "self_attn.o_proj.bias"},
    {"attn_q_norm.weight", "self_attn.q_norm.weight"},
    {"attn_k_norm.weight", "self_attn.k_norm.weight"},
    {"ffn_norm.weight", "post_attention_layernorm.weight"},
    {"ffn_gate.weight", "mlp.gate_proj.weight"},
    {"ffn_up.weight", "mlp.up_proj.weight"},
    {"ffn_down.weight", "mlp.down_proj.weight"},
    {"ffn_gate.bias", "mlp.gate_proj.bias"},
    {"ffn_up.bias", "mlp.up_proj.bias"},
    {"ffn_down.bias", "mlp.down_proj.bias"},
}};
/// What Gemma 3 names otherwise: norms after the blocks too.
constexpr std::array<Pair, 3> kGemmaLayer = {{
    {"post_attention_norm.weight", "post_attention_layernorm.weight"},
    {"ffn_norm.weight", "pre_feedforward_layernorm.weight"},
    {"post_ffw_norm.weight", "post_feedforward_layernorm.weight"},
}};

constexpr std::array<Pair, 5> kGpt2 = {{{"token_embd.weight", "wte.weight"},
                                        {"position_embd.weight", "wpe.weight"},
                                        {"output_norm.weight", "ln_f.weight"},
                                        {"output_norm.bias", "ln_f.bias"},
                                        {"output.weight", "lm_head.weight"}}};
constexpr std::array<Pair, 12> kGpt2Layer = {{
    {"attn_norm.weight", "ln_1.weight"},
    {"attn_norm.bias", "ln_1.bias"},
    {"attn_qkv.weight", "attn.c_attn.weight"},
    {"attn_qkv.bias", "attn.c_attn.bias"},
    {"attn_output.weight", "attn.c_proj.weight"},
    {"attn_output.bias", "attn.c_proj.bias"},
    {"ffn_norm.weight", "ln_2.weight"},
    {"ffn_norm.bias", "ln_2.bias"},
    {"ffn_up.weight", "mlp.c_fc.weight"},
    {"ffn_up.bias", "mlp.c_fc.bias"},
    {"ffn_down.weight", "mlp.c_proj.weight"},
    {"ffn_down.bias", "mlp.c_proj.bias"},
}};

template <std::size_t size>
std::string_view find(const std::array<Pair, size>& pairs, std::string_view name) {
  for (const Pair& pair : pairs)
    if (pair.gguf == name) return pair.folder;
  return {};
}

/// The name of a layer's tensor, without its prefix.
std::string_view in_layer(const std::string& family, std::string_view name) {
  if (family == "gpt2") return find(kGpt2Layer, name);
  const std::string_view special =
      family == "gemma3_text" ? find(kGemmaLayer, name) : std::string_view();
  return special.empty() ? find(kLlamaLayer, name) : special;
}

}  // namespace

NameInFolder name_in_folder(const std::string& family, const std::string& gguf_name) {
  static constexpr std::string_view kLayer = "blk.";
  const bool gpt2 = family == "gpt2";
  const std::string_view all = gguf_name;
  // Gemma's directories hold norms less 1, its GGUF files do not.
  const float offset = family == "gemma3_text" && all.ends_with("norm.weight") ? 1.0F : 0.0F;
  if (all.substr(0, kLayer.size()) != kLayer) {
    const std::string_view name = gpt2 ? find(kGpt2, all) : find(kLlama, all);
    NameInFolder result{std::string(name.empty() ? all : name)};
    result.offset = offset;
    return result;
  }
  const std::size_t dot = all.find('.', kLayer.size());
  if (dot == std::string_view::npos) return {gguf_name};
  const std::string number(all.substr(kLayer.size(), dot - kLayer.size()));
  const std::string_view own = all.substr(dot + 1), name = in_layer(family, own);
  if (name.empty()) return {gguf_name};
  NameInFolder result{(gpt2 ? "h." : "model.layers.") + number + "." + std::string(name)};
  // llama.cpp turns neighbouring channels in Llama models alone.
  result.paired = family == "llama" && (own.starts_with("attn_q.") || own.starts_with("attn_k."));
  result.stored_by_output = gpt2;
  result.offset = offset;
  return result;
}

}  // namespace axelram::checkpoints
