#include <cmath>

#include "checkpoints/support.hpp"

using nlohmann::json;
using namespace test;

namespace {

using axelram::checkpoints::Architecture;

std::string failure(const json& keys) {
  static const CheckpointCopy copy("gemma3");
  copy.change(keys);
  return copy.failure();
}

Architecture architecture(const json& keys) {
  const CheckpointCopy copy("gemma3");
  copy.change(keys);
  return copy.read().architecture;
}

/// theta of a rotary embedding without scaling, from its second frequency.
double theta(const axelram::checkpoints::Rotary& rotary) {
  return std::pow(rotary.frequencies[1], -static_cast<double>(rotary.frequencies.size()));
}

}  // namespace

TEST_CASE("gemma3: what is its own") {
  const Architecture a = architecture(json::object());
  CHECK(a.family == "gemma3");
  CHECK(a.feed_forward == axelram::checkpoints::FeedForward::gelu_gated);
  CHECK(a.embedding_scale == std::sqrt(32.0));
  CHECK(a.attention_scale() == 1 / std::sqrt(24.0));
  CHECK(a.has_local_rotary(0));
  CHECK_FALSE(a.has_local_rotary(5));
  CHECK(a.rotary.frequencies[0] == 1.0 / 8);
  CHECK(a.local_rotary.frequencies[0] == 1);
  CHECK_SAME(architecture({{"model_type", "gemma3"}}).spans, a.spans);
}

TEST_CASE("gemma3: keys that config.json may leave out") {
  const Architecture a = architecture({{"query_pre_attn_scalar", nullptr},
                                       {"rope_theta", nullptr},
                                       {"rope_local_base_freq", nullptr},
                                       {"rope_scaling", nullptr},
                                       {"rms_norm_eps", nullptr},
                                       {"hidden_activation", nullptr},
                                       {"attention_bias", nullptr},
                                       {"tie_word_embeddings", nullptr}});
  CHECK(a.query_scalar == 256);
  CHECK(theta(a.rotary) == doctest::Approx(1e6).epsilon(1e-12));
  CHECK(theta(a.local_rotary) == doctest::Approx(1e4).epsilon(1e-12));
  CHECK(a.norm_epsilon == 1e-6);
  CHECK(contains(failure({{"head_dim", nullptr}}),
                 "config.json without head_dim (256) makes it [1024, 32]"));
  const CheckpointCopy d256("gemma3-d256");
  d256.change({{"head_dim", nullptr}});
  CHECK(d256.read().architecture.head_dim == 256);
  d256.change({{"num_key_value_heads", nullptr}});
  CHECK(contains(d256.failure(), "num_key_value_heads is missing, which means 4; it must divide"));
}

TEST_CASE("gemma3: rotary embeddings by kind of layer, as transformers 5 writes them") {
  const json global = {{"rope_type", "linear"}, {"rope_theta", 1e5}, {"factor", 4}};
  const json local = {{"rope_type", "default"}, {"rope_theta", 500}};
  const json both = {{"full_attention", global}, {"sliding_attention", local}};
  const Architecture a = architecture({{"rope_parameters", both}, {"rope_scaling", nullptr}});
  CHECK(a.rotary.frequencies[0] == 1.0 / 4);
  CHECK(theta(a.local_rotary) == doctest::Approx(500).epsilon(1e-12));
  CHECK(failure({{"rope_parameters", global}}) ==
        "config.json: rope_parameters.factor is 4; parameters lie in full_attention and "
        "sliding_attention");
  // Either kind may be left out.
  json only = {{"sliding_attention", local}};
  const Architecture mixed = architecture({{"rope_parameters", only}, {"rope_scaling", nullptr}});
  CHECK(mixed.rotary.frequencies[0] == 1);
  CHECK(theta(mixed.local_rotary) == doctest::Approx(500).epsilon(1e-12));
  json wrong = both;
  wrong["sliding_attention"]["rope_theta"] = -1;
  CHECK(failure({{"rope_parameters", wrong}}) ==
        "config.json: rope_parameters.sliding_attention.rope_theta is -1; it must be a positive "
        "number");
  wrong = both;
  wrong["full_attention"]["rope_type"] = "dynamic";
  CHECK(contains(failure({{"rope_parameters", wrong}, {"rope_scaling", nullptr}}),
                 "full_attention.rope_type is \"dynamic\""));
}

TEST_CASE("gemma3: rope_scaling belongs to the layers that see all tokens") {
  const CheckpointCopy copy("gemma3");
  json config = json::parse(content(copy / "config.json"));
  const auto first = [&](const json& scaling, const json& parameters) {
    config["rope_scaling"] = scaling;
    config["rope_parameters"] = parameters;
    put(copy / "config.json", config.dump());
    return copy.read().architecture.rotary.frequencies[0];
  };
  const json linear = {{"rope_type", "linear"}, {"factor", 4}};
  const json older = {{"type", "linear"}, {"factor", 4}};
  const json none = {{"rope_type", "default"}};
  CHECK(first(linear, nullptr) == 1.0 / 4);
  CHECK(first(linear, {{"full_attention", none}}) == 1.0 / 4);
  // The older name means nothing beside a rope_type, which the class sets without rope_parameters.
  CHECK(first(older, nullptr) == 1);
  CHECK(first(older, {{"full_attention", none}}) == 1);
  CHECK(first(older, {{"full_attention", json::object()}}) == 1.0 / 4);
  CHECK(first(nullptr, {{"full_attention", older}}) == 1.0 / 4);
  CHECK(first(nullptr, {{"full_attention", nullptr}}) == 1);
  for (const json& parameters : {json::object(), json{{"full_attention", nullptr}}}) {
    CASE(parameters);
    const std::string line = message([&] { first(linear, parameters); });
    CHECK(contains(line, "config.json: rope_scaling is "));
    CHECK(contains(line, "; rope_parameters needs full_attention, to which it belongs"));
  }
}

TEST_CASE("gemma3: features that are not supported, by name") {
  CHECK(failure({{"attn_logit_softcapping", 50}}) ==
        "config.json: attn_logit_softcapping is 50; supported is null");
  CHECK(failure({{"final_logit_softcapping", 30.0}}) ==
        "config.json: final_logit_softcapping is 30.0; supported is null");
  CHECK(failure({{"use_bidirectional_attention", true}}) ==
        "config.json: use_bidirectional_attention is true; supported is false");
  CHECK(failure({{"use_bidirectional_attention", false}}) == "");
  CHECK(failure({{"hidden_activation", "gelu"}}) ==
        "config.json: hidden_activation is \"gelu\"; supported are gelu_pytorch_tanh, gelu_new, "
        "gelu_fast, gelu_accurate or gelu_python_tanh");
  CHECK(contains(failure({{"quantization_config", {{"bits", 4}}}}), "supported are plain F32"));
  for (const std::string part : {"text_config", "vision_config"})
    CHECK_AT(part, failure({{"model_type", "gemma3"}, {part, {{"hidden_size", 32}}}}) ==
                       "config.json: model_type is \"gemma3\"; it is a multimodal model, by its " +
                           part + "; supported are models of text alone, such as gemma3_text");
  CHECK(contains(failure({{"rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2}}}}),
                 "rope_scaling.rope_type is \"dynamic\""));
  for (const std::string key : {"query_pre_attn_scalar", "rope_local_base_freq", "rope_theta"})
    CHECK_AT(key,
             failure({{key, 0}}) == "config.json: " + key + " is 0; it must be a positive number");
  // A frequency beyond all numbers, in heads of 256.
  const CheckpointCopy d256("gemma3-d256");
  d256.change({{"rope_local_base_freq", 1e-320}});
  CHECK(contains(d256.failure(), "it must make every frequency"));
}

TEST_CASE("gemma3: weights of norms are stored as differences from 1") {
  const CheckpointCopy copy("gemma3");
  const auto checkpoint = copy.read();
  const auto file = axelram::files::Safetensors::read(copy / "model.safetensors");
  const auto stored = [&](const std::string& name) {
    const axelram::files::Tensor& tensor = file.at(name + ".weight");
    std::vector<float> values(tensor.elements());
    axelram::weights::to_floats(*axelram::weights::type_of(tensor.type), tensor.data, values.size(),
                                values.data());
    for (float& value : values) value += 1;
    return values;
  };
  const std::string prefix = "model.layers.3.";
  const auto& layer = checkpoint.layers[3];
  CHECK_SAME(layer.attention_norm, stored(prefix + "input_layernorm"));
  CHECK_SAME(layer.attention_post_norm, stored(prefix + "post_attention_layernorm"));
  CHECK_SAME(layer.ffn_norm, stored(prefix + "pre_feedforward_layernorm"));
  CHECK_SAME(layer.ffn_post_norm, stored(prefix + "post_feedforward_layernorm"));
  CHECK_SAME(layer.q_norm, stored(prefix + "self_attn.q_norm"));
  CHECK_SAME(layer.k_norm, stored(prefix + "self_attn.k_norm"));
  CHECK_SAME(checkpoint.final_norm, stored("model.norm"));
  CHECK(checkpoint.head.data == checkpoint.embedding.data);
}
