#include "checkpoints/support.hpp"

using nlohmann::json;
using namespace test;

namespace {

const std::vector<std::string> kLlamaCounts = {"vocab_size",          "hidden_size",
                                               "intermediate_size",   "num_hidden_layers",
                                               "num_attention_heads", "max_position_embeddings"};
const std::vector<std::string> kGpt2Counts = {"vocab_size", "n_embd", "n_layer", "n_head",
                                              "n_positions"};

/// The message of a copy of `model` with these keys in its config.json.
std::string with_keys(const CheckpointCopy& copy, const json& keys) {
  copy.change(keys);
  return copy.failure();
}

void check_counts(const CheckpointCopy& copy, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    CASE(key);
    for (const json& value :
         {json("32"), json(true), json(0), json(-3), json(1.5), json(5e9), json(1e300),
          json(UINT64_MAX), json((std::uint64_t{1} << 31) + 1), json::object(), json::array({32})})
      CHECK_AT(value.dump(),
               with_keys(copy, {{key, value}}) == "config.json: " + key + " is " + value.dump() +
                                                      "; it must be a whole number in 1..2^31");
  }
}

}  // namespace

TEST_CASE("the reference checkpoints are read, and a copy is as good") {
  for (const std::string name : {"llama-f32", "llama-bf16-tied", "gpt2", "qwen3"}) {
    CASE(name);
    const CheckpointCopy copy(name);
    CHECK(copy.failure() == "");
    copy.change(json::object());
    CHECK(copy.failure() == "");
    CHECK(std::isfinite(test::sum_of_all(copy.read())));
  }
}

TEST_CASE("config.json: missing, cut off, no object, no text") {
  const CheckpointCopy copy("llama-f32");
  const std::string whole = test::content(copy / "config.json");
  const std::size_t end = whole.rfind('}');
  for (std::size_t size = 0; size <= end; ++size) {
    CASE(size);
    test::put(copy / "config.json", whole.substr(0, size));
    REQUIRE(contains(copy.failure(), "config.json: no JSON from byte"));
    REQUIRE(contains(copy.failure(), "was it cut off?"));
  }
  for (const std::string text : {"[]", "3", "null", "\"llama\""}) {
    CASE(text);
    test::put(copy / "config.json", text);
    CHECK(copy.failure() == "config.json: a JSON object was expected at the top");
  }
  for (const std::string& text :
       {whole + "{}", whole + std::string("\0", 1), std::string("{\"a\": \"\xff\"}")}) {
    CASE(text);
    test::put(copy / "config.json", text);
    CHECK(contains(copy.failure(), "config.json: no JSON"));
  }
  test::put(copy / "config.json", "{\"hidden_size\": 1e999}");
  CHECK(contains(copy.failure(), "config.json: a number is larger than any FP64 value"));
  // As deep as no configuration is: whoever follows it by recursion runs out of stack.
  const std::string deep = "{\"hidden_size\": " + std::string(500000, '[') + "1" +
                           std::string(500000, ']') + ", \"model_type\": \"llama\"}";
  test::put(copy / "config.json", deep);
  CHECK(contains(copy.failure(), "config.json: "));

  std::filesystem::remove(copy / "config.json");
  CHECK(contains(copy.failure(), "config.json: "));
  std::filesystem::create_directory(copy / "config.json");
  CHECK(contains(copy.failure(), "config.json: Is a directory"));
}

TEST_CASE("a path that leads nowhere") {
  const test::TemporaryFolder folder;
  std::filesystem::create_symlink("loop", folder / "loop");
  for (const std::string& path : {folder / "none", folder / "none/none", folder / "loop",
                                  folder / std::string(300, 'x'), folder / std::string(9000, 'y')})
    CHECK_AT(path, test::message([&] { axelram::checkpoints::read_checkpoint(path); }) != "");
  test::put(folder / "config.json", "{\"model_type\": \"llama\"}");
  std::filesystem::create_symlink("model.safetensors", folder / "model.safetensors");
  CHECK(contains(test::message([&] { axelram::checkpoints::read_checkpoint(folder.path()); }),
                 "model.safetensors"));
}

TEST_CASE("config.json: every size that is needed") {
  const CheckpointCopy llama("llama-f32"), gpt2("gpt2");
  check_counts(llama, kLlamaCounts);
  check_counts(llama, {"num_key_value_heads", "head_dim"});
  check_counts(gpt2, kGpt2Counts);
  check_counts(gpt2, {"n_inner"});
}

TEST_CASE("config.json: sizes that no tensor has, up to the largest") {
  const CheckpointCopy llama("llama-f32"), gpt2("gpt2");
  const auto check = [](const CheckpointCopy& copy, const std::string& key) {
    for (const std::uint64_t size : {std::uint64_t{1} << 10, std::uint64_t{1} << 31}) {
      CASE(size, key);
      const std::string line = with_keys(copy, {{key, size}});
      const bool tensor = contains(line, "tensor ") && contains(line, "config.json");
      CHECK_MESSAGE((tensor || contains(line, "config.json: ")), line);
    }
  };
  for (const std::string key : {"vocab_size", "hidden_size", "intermediate_size",
                                "num_hidden_layers", "num_attention_heads", "head_dim"}) {
    CASE(key);
    check(llama, key);
  }
  for (const std::string& key : kGpt2Counts) {
    CASE(key);
    check(gpt2, key);
  }
  CHECK(with_keys(llama, {{"intermediate_size", 49}}) ==
        "model.safetensors: tensor model.layers.0.mlp.gate_proj.weight: shape is [48, 32]; "
        "config.json makes it [49, 32]");
}

TEST_CASE("config.json: heads that do not fit") {
  const CheckpointCopy llama("llama-f32"), gpt2("gpt2");
  CHECK(with_keys(llama, {{"num_key_value_heads", 3}}) ==
        "config.json: num_key_value_heads is 3; it must divide num_attention_heads, 4");
  CHECK(with_keys(llama, {{"num_attention_heads", 3}, {"head_dim", nullptr}}) ==
        "config.json: num_attention_heads is 3; it must divide hidden_size where head_dim is not "
        "given");
  // 32 heads, as the class of Llama has it, and 2 KV heads.
  CHECK(contains(with_keys(llama, {{"num_attention_heads", nullptr}}),
                 "; config.json without num_attention_heads (32) makes it [1024, 32]"));
  CHECK(with_keys(llama, {{"num_attention_heads", nullptr}, {"num_key_value_heads", 3}}) ==
        "config.json: num_key_value_heads is 3; it must divide num_attention_heads, 32");
  CHECK(with_keys(llama, {{"head_dim", 31}}) ==
        "config.json: head_dim is 31; rotary embedding needs an even one");
  CHECK(contains(with_keys(llama, {{"num_attention_heads", 32}, {"head_dim", nullptr}}),
                 "rotary embedding needs an even"));
  CHECK(with_keys(gpt2, {{"n_head", 3}}) == "config.json: n_head is 3; it must divide n_embd");
}

TEST_CASE("config.json: kinds of models that are not supported") {
  const CheckpointCopy llama("llama-f32"), gpt2("gpt2"), qwen("qwen3");
  CHECK(with_keys(llama, {{"model_type", "mamba\n"}}) ==
        "config.json: model_type is \"mamba\\n\"; supported are llama, mistral, ministral, qwen2, "
        "qwen3, "
        "gemma3_text, gemma3 or gpt2");
  CHECK(with_keys(llama, {{"model_type", nullptr}}) ==
        "config.json: model_type is missing; the model needs it");
  CHECK(with_keys(llama, {{"model_type", 3}}) == "config.json: model_type is 3; it must be a text");
  CHECK(contains(with_keys(llama, {{"quantization_config", {{"bits", 4}}}}),
                 "supported are plain F32, F16 and BF16 weights"));
  CHECK(with_keys(llama, {{"hidden_act", "gelu"}}) ==
        "config.json: hidden_act is \"gelu\"; supported are silu or swish");
  CHECK(contains(with_keys(llama, {{"partial_rotary_factor", 0.5}}),
                 "partial_rotary_factor is 0.5; "));
  CHECK(contains(with_keys(llama, {{"rope_parameters",
                                    {{"rope_type", "default"}, {"partial_rotary_factor", 0.5}}}}),
                 "rope_parameters.partial_rotary_factor is 0.5; "));
  CHECK(with_keys(llama, {{"tie_word_embeddings", 1}}) ==
        "config.json: tie_word_embeddings is 1; it must be true or false");
  CHECK(with_keys(llama, {{"rms_norm_eps", 0}}) ==
        "config.json: rms_norm_eps is 0; it must be a positive number");
  CHECK(with_keys(llama, {{"rms_norm_eps", "small"}}) ==
        "config.json: rms_norm_eps is \"small\"; it must be a positive number");
  CHECK(
      contains(with_keys(llama, {{"attention_bias", true}}),
               "tensor model.layers.0.self_attn.q_proj.bias is missing; config.json asks for it"));
  CHECK(contains(with_keys(gpt2, {{"activation_function", "relu"}}),
                 "activation_function is \"relu\""));
  CHECK(contains(with_keys(gpt2, {{"scale_attn_weights", false}}), "scale_attn_weights is false"));
  CHECK(contains(with_keys(gpt2, {{"scale_attn_by_inverse_layer_idx", true}}),
                 "scale_attn_by_inverse_layer_idx is true"));
  CHECK(contains(with_keys(gpt2, {{"tie_word_embeddings", false}}),
                 "tensor lm_head.weight is missing"));
  CHECK(contains(with_keys(qwen, {{"model_type", "qwen2"}}), "self_attn.q_proj.bias is missing"));
}

TEST_CASE("config.json: rotary scalings that cannot be") {
  const CheckpointCopy llama("llama-f32");
  const json llama3 = {{"rope_type", "llama3"},
                       {"factor", 8.0},
                       {"low_freq_factor", 1.0},
                       {"high_freq_factor", 4.0},
                       {"original_max_position_embeddings", 32}};
  CHECK(with_keys(llama, {{"rope_scaling", llama3}}) == "");
  for (const auto& item : llama3.items()) {
    CASE(item.key());
    json without = llama3;
    without.erase(item.key());
    const bool has_default =
        item.key() == "rope_type" || item.key() == "original_max_position_embeddings";
    CHECK(with_keys(llama, {{"rope_scaling", without}}) ==
          (has_default
               ? ""
               : "config.json: rope_scaling." + item.key() + " is missing; the model needs it"));
  }
  json upside_down = llama3;
  upside_down["low_freq_factor"] = 4;
  CHECK(contains(with_keys(llama, {{"rope_scaling", upside_down}}),
                 "rope_scaling.high_freq_factor is"));
  CHECK(with_keys(llama, {{"rope_scaling", {{"type", "dynamic"}, {"factor", 2}}}}) ==
        "config.json: rope_scaling.type is \"dynamic\"; supported are default, linear, llama3 and "
        "yarn");
  CHECK(with_keys(llama, {{"rope_scaling", "linear"}}) ==
        "config.json: rope_scaling is \"linear\"; it must be an object");
  for (const std::string type : {"linear", "yarn"}) {
    CASE(type);
    CHECK(contains(with_keys(llama, {{"rope_scaling", {{"type", type}}}}), "factor is missing"));
    CHECK(contains(with_keys(llama, {{"rope_scaling", {{"type", type}, {"factor", -1}}}}),
                   "rope_scaling.factor is -1; it must be a positive number"));
  }
  CHECK(with_keys(llama, {{"rope_theta", -1}}) ==
        "config.json: rope_theta is -1; it must be a positive number");
  // Frequencies that are no numbers: theta of 1 has no channel that turns 32 times.
  const json yarn = {{"type", "yarn"}, {"factor", 2}, {"original_max_position_embeddings", 8192}};
  CHECK(contains(with_keys(llama, {{"rope_theta", 1}, {"rope_scaling", yarn}}),
                 "config.json: rope_scaling is "));
  CHECK(contains(with_keys(llama, {{"rope_scaling", {{"type", "linear"}, {"factor", 1e-320}}}}),
                 "config.json: rope_"));
}
