#include "gguf_config.hpp"

#include <array>
#include <charconv>
#include <functional>
#include <set>

#include "axelram/files/messages.hpp"

namespace axelram::checkpoints {
namespace {

using nlohmann::json;

/// A F32 of the metadata as the number that a config.json has: the shortest decimal.
double shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.begin(), text.end(), static_cast<float>(value)).ptr;
  double result = 0;
  std::from_chars(text.begin(), end, result);
  return result;
}

/// A whole number as a parser of JSON has it: unsigned unless negative.
json whole(std::int64_t value) {
  return value < 0 ? json(value) : json(static_cast<std::uint64_t>(value));
}

/// Builds a config.json from the keys of one architecture.
class Translation {
 public:
  Translation(const gguf::Gguf& file, std::string architecture)
      : file_(file), prefix_(std::move(architecture) + ".") {}

  std::string full(const std::string& key) const { return prefix_ + key; }
  bool has(const std::string& key) const { return file_.has(full(key)); }
  void set(const std::string& to, json value) { config_[to] = std::move(value); }
  void name(const std::string& to, const std::string& key) { names_[to] = full(key); }
  const gguf::Gguf& file() const { return file_; }

  /// A whole number. Missing: left out, and a reader that needs it names the key.
  void count(const std::string& key, const std::string& to) {
    name(to, key);
    if (take(key)) config_[to] = whole(file_.integer(full(key)));
  }
  void real(const std::string& key, const std::string& to) {
    name(to, key);
    if (take(key)) config_[to] = shortest(file_.real(full(key)));
  }
  /// A key whose value must be the one that the model has anyway.
  void expect(const std::string& key, std::int64_t value, const std::string& why) {
    if (take(key) && file_.integer(full(key)) != value)
      file_.fail(full(key), "supported is " + std::to_string(value) + ", " + why);
  }
  /// Marks a key as known; true if it is present.
  bool take(const std::string& key) {
    known_.insert(full(key));
    return has(key);
  }

  JsonObject finish(const std::string& origin) {
    for (const std::string& key : file_.keys())
      if (key.starts_with(prefix_) && known_.count(key) == 0)
        file_.fail(key, "this key is not supported; the model may compute something else than " +
                            prefix_.substr(0, prefix_.size() - 1) + " models without it");
    return JsonObject::of(std::move(config_), origin + ": ", std::move(names_));
  }

 private:
  const gguf::Gguf& file_;
  std::string prefix_;
  json config_ = json::object();
  std::map<std::string, std::string> names_;  ///< of keys in config.json, for messages
  std::set<std::string> known_;
};

void set_vocabulary(Translation* to) {
  to->count("vocab_size", "vocab_size");
  const gguf::Tensor* const embedding = to->file().find("token_embd.weight");
  if (!to->has("vocab_size") && embedding != nullptr) to->set("vocab_size", embedding->shape[0]);
}

/// Sizes of Llama, Qwen and Gemma models.
void set_sizes(Translation* to) {
  set_vocabulary(to);
  to->count("context_length", "max_position_embeddings");
  to->count("embedding_length", "hidden_size");
  to->count("block_count", "num_hidden_layers");
  to->count("feed_forward_length", "intermediate_size");
  to->count("attention.head_count", "num_attention_heads");
  to->count("attention.head_count_kv", "num_key_value_heads");
  to->count("attention.key_length", "head_dim");
  to->real("attention.layer_norm_rms_epsilon", "rms_norm_eps");
  to->set("tie_word_embeddings", to->file().find("output.weight") == nullptr);
  to->expect("expert_count", 0, "a model without experts");
}

/// rope.scaling.*; Llama 3.1 has the tensor rope_freqs.weight instead.
void set_rotary(Translation* to) {
  to->real("rope.freq_base", "rope_theta");
  to->take("rope.scaling.finetuned");
  const std::string kind = "rope.scaling.type";
  const std::string type =
      to->take(kind) ? std::string(to->file().text(to->full(kind))) : std::string("none");
  if (type != "none" && type != "linear" && type != "yarn")
    to->file().fail(to->full(kind), "supported are none, linear and yarn");
  json scaling = {{"rope_type", type}};
  const auto copy = [&](const std::string& key, const std::string& name, bool is_whole) {
    if (!to->take(key) || type == "none") return;
    to->name(name, key);
    if (is_whole)
      scaling[name] = whole(to->file().integer(to->full(key)));
    else
      scaling[name] = shortest(to->file().real(to->full(key)));
  };
  to->name("factor", "rope.scaling.factor");
  copy("rope.scaling.factor", "factor", false);
  copy("rope.scaling.original_context_length", "original_max_position_embeddings", true);
  copy("rope.scaling.yarn_beta_fast", "beta_fast", false);
  copy("rope.scaling.yarn_beta_slow", "beta_slow", false);
  if (type != "none") to->set("rope_scaling", scaling);
}

/// Channels that are turned and channels of a value: all of a head.
void check_head(Translation* to) {
  std::int64_t head = 0;
  if (to->has("attention.key_length")) {
    head = to->file().integer(to->full("attention.key_length"));
  } else if (to->has("embedding_length") && to->has("attention.head_count")) {
    const std::int64_t heads = to->file().integer(to->full("attention.head_count"));
    if (heads > 0) head = to->file().integer(to->full("embedding_length")) / heads;
  }
  for (const char* key : {"attention.value_length", "rope.dimension_count"})
    if (to->take(key) && head > 0) to->expect(key, head, "the channels of a head");
}

void read_llama_keys(const std::string& family, Translation* to) {
  set_sizes(to);
  set_rotary(to);
  check_head(to);
  if (family != "llama") return;
  const auto has = [&](const char* name) { return to->file().find(name) != nullptr; };
  to->set("attention_bias", has("blk.0.attn_q.bias"));
  to->set("mlp_bias", has("blk.0.ffn_gate.bias"));
}

void read_gemma3_keys(Translation* to) {
  set_sizes(to);
  set_rotary(to);
  check_head(to);
  to->count("attention.sliding_window", "sliding_window");
  to->real("rope.freq_base_swa", "rope_local_base_freq");
  // The format has no key for it; llama.cpp knows one exception, the model of 27 billion weights.
  constexpr std::int64_t kLayersOf27B = 62;
  if (to->has("block_count") && to->has("attention.key_length")) {
    const bool exception = to->file().integer(to->full("block_count")) == kLayersOf27B;
    const std::int64_t heads = to->file().integer(to->full("attention.head_count"));
    to->set("query_pre_attn_scalar",
            whole(exception && heads > 0 ? to->file().integer(to->full("embedding_length")) / heads
                                         : to->file().integer(to->full("attention.key_length"))));
  }
}

void read_gpt2_keys(Translation* to) {
  set_vocabulary(to);
  to->count("context_length", "n_positions");
  to->count("embedding_length", "n_embd");
  to->count("block_count", "n_layer");
  to->count("feed_forward_length", "n_inner");
  to->count("attention.head_count", "n_head");
  to->real("attention.layer_norm_epsilon", "layer_norm_epsilon");
  to->set("tie_word_embeddings", to->file().find("output.weight") == nullptr);
}

struct Kind {
  const char *architecture, *model_type;
  std::function<void(Translation*)> read;
};

const std::array<Kind, 5>& kinds() {
  static const std::array<Kind, 5> all = {{
      {"llama", "llama", [](Translation* to) { read_llama_keys("llama", to); }},
      {"qwen2", "qwen2", [](Translation* to) { read_llama_keys("qwen2", to); }},
      {"qwen3", "qwen3", [](Translation* to) { read_llama_keys("qwen3", to); }},
      {"gemma3", "gemma3_text", read_gemma3_keys},
      {"gpt2", "gpt2", read_gpt2_keys},
  }};
  return all;
}

/// Keys outside of an architecture say something about the file, but for these.
void check_other_keys(const gguf::Gguf& file, const std::string& architecture) {
  const auto begins = [](const std::string& key, const char* start) {
    return key.starts_with(start);
  };
  for (const std::string& key : file.keys())
    if (!begins(key, "general.") && !begins(key, "tokenizer.") && !begins(key, "quantize.") &&
        !begins(key, "split.") && !key.starts_with(architecture + "."))
      file.fail(key, "no key of a " + architecture + " model; is this a file of another kind?");
  if (file.has("general.type") && file.text("general.type") != "model")
    file.fail("general.type", "supported is 'model'");
}

}  // namespace

JsonObject config_of(const gguf::Gguf& file) {
  const std::string architecture(file.text("general.architecture"));
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) {
    names.emplace_back(kind.architecture);
    if (architecture != kind.architecture) continue;
    check_other_keys(file, architecture);
    Translation translation(file, architecture);
    translation.set("model_type", kind.model_type);
    kind.read(&translation);
    return translation.finish(file.origin());
  }
  file.fail("general.architecture", "supported are " + files::any_of(names));
}

}  // namespace axelram::checkpoints
