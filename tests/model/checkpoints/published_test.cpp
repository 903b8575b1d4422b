#include <tuple>

#include "checkpoints/changed_gguf.hpp"

// Keys as published files have them beside the sizes of the model, with the sizes of the reference
// checkpoints. What is listed says what holds anyway, unless the case says otherwise.

using nlohmann::json;
using namespace test;

namespace {

struct Published {
  std::string name, reference;
  json keys;
};

const std::vector<Published>& published_configs() {
  static const json ids = {{"bos_token_id", 1},         {"eos_token_id", {2, 3}},
                           {"torch_dtype", "bfloat16"}, {"transformers_version", "4.51.0"},
                           {"use_cache", true},         {"attention_dropout", 0.0},
                           {"initializer_range", 0.02}};
  const auto with = [](json more) {
    more.update(ids);
    return more;
  };
  static const std::vector<Published> all = {
      {"Llama 2", "llama-f32", with({{"pretraining_tp", 1}, {"rope_scaling", nullptr}})},
      {"Llama 3.1", "llama3-rope",
       with({{"mlp_bias", false}, {"attention_bias", false}, {"pretraining_tp", 1}})},
      {"SmolLM2", "llama-bf16-tied",
       with({{"is_llama_config", true},
             {"rope_interleaved", false},
             {"rope_scaling", nullptr},
             {"pad_token_id", nullptr},
             {"transformers.js_config", {{"dtype", "q4"}}}})},
      {"Llama, as transformers 5 writes it", "llama-theta",
       with({{"rope_parameters", {{"rope_theta", 500000.0}, {"rope_type", "default"}}},
             {"rope_theta", nullptr},
             {"dtype", "float16"},
             {"pad_token_id", nullptr}})},
      {"Mistral 7B v0.3", "mistral", with({{"sliding_window", nullptr}})},
      {"Ministral", "mistral",
       with({{"model_type", "ministral"},
             {"sliding_window", 16},
             {"layer_types", {"full_attention", "sliding_attention"}}})},
      {"Mistral with layer_types, a Ministral", "mistral",
       with({{"sliding_window", 16}, {"layer_types", {"full_attention", "sliding_attention"}}})},
      {"Qwen2.5", "qwen2",
       with({{"max_window_layers", 28}, {"sliding_window", 32768}, {"rope_scaling", nullptr}})},
      {"Qwen3", "qwen3",
       with({{"max_window_layers", 28}, {"rope_scaling", nullptr}, {"layer_types", nullptr}})},
      {"Qwen3, as transformers 5 writes it", "qwen3",
       with({{"layer_types", {"full_attention", "full_attention"}},
             {"rope_parameters", {{"rope_theta", 10000}, {"rope_type", "default"}}},
             {"rope_theta", nullptr},
             {"dtype", "bfloat16"}})},
      {"Gemma 3 270M", "gemma3",
       with({{"_sliding_window_pattern", 6},
             {"cache_implementation", "hybrid"},
             {"use_bidirectional_attention", false},
             {"quantization_config", nullptr}})},
      {"GPT-2",
       "gpt2",
       {{"n_ctx", 32},
        {"attn_pdrop", 0.1},
        {"summary_type", "cls_index"},
        {"summary_activation", nullptr},
        {"reorder_and_upcast_attn", false},
        {"scale_attn_weights", true},
        {"task_specific_params", {{"text-generation", {{"do_sample", true}}}}}}},
  };
  return all;
}

/// The reference's config.json with these keys; unlike change(), a null is written.
std::string failure_with(const Published& published) {
  const CheckpointCopy copy(published.reference);
  json config = json::parse(content(copy / "config.json"));
  for (const auto& [key, value] : published.keys.items()) config[key] = value;
  put(copy / "config.json", config.dump());
  return copy.failure();
}

}  // namespace

TEST_CASE("config.json as published models have it is read") {
  for (const Published& published : published_configs()) {
    CASE(published.name);
    CHECK_SAME(failure_with(published), "");
  }
}

TEST_CASE("GGUF metadata as published models have them are read") {
  using Change = std::function<void(ChangedGguf&)>;
  const std::vector<std::tuple<std::string, std::string, Change>> all = {
      {"the first converters of Llama 2", "llama",
       [](ChangedGguf& f) {
         f.put("llama.tensor_data_layout", "Meta AI original pth");
         f.put("general.source.hugginface.repository", "somebody/model");
         f.fields.erase("llama.vocab_size");
       }},
      {"converters that knew experts", "llama",
       [](ChangedGguf& f) {
         f.u32("llama.expert_count", 0);
         f.u32("llama.expert_used_count", 0);
       }},
      {"converters of today", "llama",
       [](ChangedGguf& f) {
         f.u32("llama.attention.key_length", 16);
         f.u32("llama.attention.value_length", 16);
         f.flag("llama.attention.causal", true);
         f.put("llama.rope.scaling.type", "none");
         f.f32("llama.rope.scaling.attn_factor", 1);
         f.put("general.sampling.sequence", "k");
       }},
      {"a quantizer's own keys", "qwen2",
       [](ChangedGguf& f) {
         f.put("mradermacher.quantized_by", "somebody");
         f.put("quantize.imatrix.file", "imatrix.dat");
         f.u32("quantize.imatrix.entries_count", 168);
         f.u32("qwen2.rope.freq_base", 50000);
       }},
      {"a layout that is the reference", "qwen3",
       [](ChangedGguf& f) { f.put("qwen3.tensor_data_layout", "reference"); }},
      {"Gemma by another converter", "gemma3",
       [](ChangedGguf& f) {
         f.fields.erase("gemma3.rope.freq_base");
         f.f32("gemma3.rope.global.freq_base", 1e6F);
         f.f32("gemma3.rope.local.freq_base", 1e4F);
         f.flag("tokenizer.ggml.add_padding_token", false);
         f.list("tokenizer.ggml.eos_token_ids", {1, 2});
       }},
      {"Gemma with the keys of Gemma 2", "gemma3",
       [](ChangedGguf& f) {
         f.f32("gemma3.attn_logit_softcapping", 0);
         f.f32("gemma3.final_logit_softcapping", 0);
         f.u32("gemma3.attention.sliding_window_pattern", 6);
       }},
      {"GPT-2", "gpt2",
       [](ChangedGguf& f) {
         f.u32("gpt2.attention.head_count_kv", 4);
         f.flag("gpt2.use_parallel_residual", false);
       }},
  };
  for (const auto& [name, reference, change] : all) {
    CASE(name);
    CHECK_SAME(failure(reference, change), "");
  }
}
