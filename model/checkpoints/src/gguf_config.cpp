#include "gguf_config.hpp"

#include <map>

#include "axelram/files/messages.hpp"
#include "keys/config_keys.hpp"
#include "keys/gguf_keys.hpp"

namespace axelram::checkpoints {
namespace {

using nlohmann::json;

struct Kind {
  const char *architecture, *model_type;
};

constexpr Kind kKinds[] = {{"llama", "llama"},
                           {"qwen2", "qwen2"},
                           {"qwen3", "qwen3"},
                           {"gemma3", "gemma3_text"},
                           {"gpt2", "gpt2"}};

/// Whether a config.json without the key means the same.
bool is_default(const Kind& kind, const std::string& key, const json& value) {
  for (const ConfigKey& row : config_keys())
    if (row.key == key && is_one_of(row.of, kind.model_type))
      return value_of(row.absent, [](const std::string&) { return json(); }) == value;
  return false;
}

/// Builds a config.json from the keys of one architecture.
class Translation {
 public:
  Translation(const gguf::Gguf& file, const Kind& kind)
      : file_(file), kind_(kind), architecture_(kind.architecture) {
    set("model_type", kind.model_type);
    for (const GgufKey& row : gguf_keys())
      if (is_one_of(row.of, architecture_)) rows_[std::string(row.key)] = &row;
    for (const GgufKey& row : gguf_keys())
      if (is_one_of(row.of, architecture_)) read(row);
    check_all_known();
  }

  const gguf::Gguf& file() const { return file_; }
  bool is_given(const std::string& key) const { return file_.has(full(key)); }
  bool has_tensor(const char* name) const { return file_.find(name) != nullptr; }
  /// The value of a key of this architecture, whether the file has it or not; null if it says
  /// nothing.
  json value(const std::string& key) const {
    if (key == kVocabularyTensor) return rows_of_vocabulary();
    if (const auto known = values_.find(key); known != values_.end()) return known->second;
    const auto row = rows_.find(key);
    if (row == rows_.end() || !is_given(key)) return nullptr;
    return given_value(*row->second);
  }

  void set(const std::string& to, json value) { config_[to] = std::move(value); }
  /// Messages about a key of config.json name the one of the file.
  void name(const std::string& to, const std::string& key) { names_[to] = full(source(key)); }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    file_.fail(full(key), what);
  }

  JsonObject finish() {
    return JsonObject::of(std::move(config_), file_.origin() + ": ", std::move(names_));
  }

 private:
  static constexpr char kVocabularyTensor[] = "token_embd.weight";

  std::string full(const std::string& key) const { return architecture_ + "." + key; }

  json given_value(const GgufKey& row) const {
    const bool each = row.type == GgufType::sizes || row.type == GgufType::flags;
    return gguf_value(file_, full(std::string(row.key)), row.type,
                      each ? value("block_count") : json());
  }

  /// The key that gives the value of this one: another one if the file has that one instead.
  std::string source(const std::string& key) const {
    const auto row = rows_.find(key);
    if (is_given(key) || row == rows_.end() || !row->second->absent.starts_with('=')) return key;
    const std::string other(row->second->absent.substr(1, row->second->absent.find(" or ") - 1));
    return rows_.count(other) != 0 && is_given(other) ? other : key;
  }

  json rows_of_vocabulary() const {
    const gguf::Tensor* const tensor = file_.find(kVocabularyTensor);
    return tensor == nullptr || tensor->shape.empty() ? json() : json(tensor->shape[0]);
  }

  void read(const GgufKey& row) {
    const std::string key(row.key), to(row.to);
    const Lookup look = [this](const std::string& other) { return value(other); };
    const bool given = is_given(key);
    if (given) {
      values_[key] = given_value(row);
      if (!holds(row.held, values_[key], look)) file_.fail(full(key), supported(row.held, look));
    } else if (row.absent == kRejected) {
      file_.fail(full(key), "the model needs it");
    } else if (const std::optional<json> absent = value_of(row.absent, look)) {
      if (row.type == GgufType::size && absent->is_number_float())
        file_.fail(full(key), std::string(row.absent.substr(1)) + " is no whole number");
      values_[key] = *absent;
    }
    if (to.empty()) return;
    name(to, key);
    const json read = value(key);
    if (!read.is_null() && (given || !is_default(kind_, to, read))) set(to, read);
  }

  void check_all_known() const {
    for (const std::string& key : file_.keys())
      if (key.starts_with(architecture_ + ".") &&
          rows_.count(key.substr(architecture_.size() + 1)) == 0)
        file_.fail(key, "this key is not supported; the model may compute something else than " +
                            architecture_ + " models without it");
  }

  const gguf::Gguf& file_;
  const Kind& kind_;
  std::string architecture_;
  std::map<std::string, const GgufKey*> rows_;
  std::map<std::string, json> values_;
  json config_ = json::object();
  std::map<std::string, std::string> names_;  ///< of keys in config.json, for messages
};

/// rope.scaling.*; Llama 3.1 has the tensor rope_freqs.weight instead.
void set_scaling(Translation* to) {
  const std::string place = "rope.scaling.", type = to->value(place + "type");
  json factor = to->value(place + "factor");
  if (factor == 0) factor = 1.0;  // as llama.cpp has it
  if (type == "none" || (factor == 1 && !to->is_given(place + "type"))) return;
  json scaling = {{"rope_type", type}, {"factor", factor}};
  to->name("factor", place + "factor");
  for (const auto& [name, key] :
       {std::pair{"original_max_position_embeddings", "original_context_length"},
        {"beta_fast", "yarn_beta_fast"},
        {"beta_slow", "yarn_beta_slow"}})
    if (to->is_given(place + key)) {
      to->name(name, place + key);
      scaling[name] = to->value(place + key);
      // A directory's 0 means the default, but a file's does not.
      if (std::string_view(key).starts_with("yarn_beta") && scaling[name] == 0)
        to->fail(place + key, "it must be a positive number");
    }
  to->set("rope_scaling", std::move(scaling));
}

/// Gemma's factor of scores. The format has no key for it; llama.cpp knows one exception, the model
/// of 27 billion weights.
void set_query_scalar(Translation* to) {
  constexpr std::uint64_t kLayersOf27B = 62;
  const json head = to->value("attention.key_length");
  const json all = to->value("embedding_length"), heads = to->value("attention.head_count");
  const bool exception = to->value("block_count") == kLayersOf27B && heads != 0;
  if (!head.is_null())
    to->set("query_pre_attn_scalar",
            exception ? json(all.get<std::uint64_t>() / heads.get<std::uint64_t>()) : head);
}

/// Keys outside of an architecture say something about the file, but for these.
void check_other_keys(const gguf::Gguf& file, const std::string& architecture) {
  for (const std::string& key : file.keys()) {
    std::string_view other;
    for (const char* prefix : {"adapter.", "clip.", "controlvector.", "diffusion."})
      if (key.starts_with(prefix)) other = prefix;
    for (const Kind& kind : kKinds)
      if (architecture != kind.architecture &&
          key.starts_with(kind.architecture + std::string(".")))
        other = kind.architecture;
    if (!other.empty())
      file.fail(key, "no key of a " + architecture + " model; is this a file of another kind?");
  }
  if (file.has("general.type") && file.text("general.type") != "model")
    file.fail("general.type", "supported is 'model'");
}

}  // namespace

JsonObject config_of(const gguf::Gguf& file) {
  const std::string architecture(file.text("general.architecture"));
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) {
    names.emplace_back(kind.architecture);
    if (architecture != kind.architecture) continue;
    check_other_keys(file, architecture);
    Translation translation(file, kind);
    translation.set("tie_word_embeddings", !translation.has_tensor("output.weight"));
    if (architecture != "gpt2") set_scaling(&translation);
    if (architecture == "gemma3") set_query_scalar(&translation);
    if (architecture == "llama") {
      translation.set("attention_bias", translation.has_tensor("blk.0.attn_q.bias"));
      translation.set("mlp_bias", translation.has_tensor("blk.0.ffn_gate.bias"));
    }
    return translation.finish();
  }
  file.fail("general.architecture", "supported are " + files::any_of(names));
}

}  // namespace axelram::checkpoints
