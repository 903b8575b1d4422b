#include <cmath>

#include "checkpoints/support.hpp"
#include "keys/config_keys.hpp"
#include "keys/gguf_keys.hpp"
#include "rotary.hpp"

using nlohmann::json;
using namespace test;

namespace {

using axelram::checkpoints::Architecture;
using axelram::checkpoints::completed;
using axelram::checkpoints::config_keys;
using axelram::checkpoints::config_keys_markdown;
using axelram::checkpoints::ConfigKey;
using axelram::checkpoints::gguf_keys_markdown;
using axelram::checkpoints::is_one_of;
using axelram::checkpoints::JsonObject;
using axelram::checkpoints::kRejected;
using axelram::checkpoints::Rotary;
using axelram::checkpoints::rotary_keys;

/// What transformers means by each key that is left out or null: made by reference/make_keys.py.
const json& record() {
  static const json keys =
      json::parse(content(project() / "tests/model/checkpoints/reference/keys.json"));
  return keys;
}

JsonObject object_of(const json& config) { return JsonObject::of(config, "", {}); }

/// A recorded configuration without a key.
json without(const json& group, const std::string& key) {
  json config = group["base"];
  config.update(group["keys"][key]["others"]);
  config.erase(key);
  return config;
}

bool is_needed(const std::string& family, const std::string& key) {
  const auto rows = config_keys();
  return std::any_of(rows.begin(), rows.end(), [&](const ConfigKey& row) {
    return row.key == key && is_one_of(row.of, family) && row.absent == kRejected;
  });
}

/// The value of a key that is left out or null; "rejected" if that is an error which names the key.
json value_in(const json& config, const std::string& family, const std::string& key) {
  if (!config.contains(key) && is_needed(family, key)) return "rejected";
  json value = "rejected";
  const std::string line = message([&] {
    const JsonObject whole = completed(object_of(config), config_keys(), family);
    value = whole.json().value(key, json());
  });
  CHECK((line.empty() || line.starts_with(key + " is null; ")));
  return value;
}

std::string with_null(json config, const std::string& key) {
  config[key] = nullptr;
  return config.dump();
}

/// Reads a checkpoint's architecture, or the line that rejects it.
std::pair<std::string, Architecture> read_with(const CheckpointCopy& copy, const json& config) {
  put(copy / "config.json", config.dump());
  const std::string line = copy.failure();
  return {line, line.empty() ? copy.read().architecture : Architecture{}};
}

void check_same(const Architecture& a, const Architecture& b) {
  CHECK(a.heads == b.heads);
  CHECK(a.kv_heads == b.kv_heads);
  CHECK(a.head_dim == b.head_dim);
  CHECK(a.max_positions == b.max_positions);
  CHECK(a.norm_epsilon == b.norm_epsilon);
  CHECK(a.query_scalar == b.query_scalar);
  CHECK_SAME(a.rotary.frequencies, b.rotary.frequencies);
  CHECK(a.rotary.attention_factor == b.rotary.attention_factor);
  CHECK_SAME(a.local_rotary.frequencies, b.local_rotary.frequencies);
  CHECK_SAME(a.spans, b.spans);
}

const std::vector<std::string> kReferences = {"llama-f16-bias", "mistral-sliding", "qwen2-sliding",
                                              "qwen3",          "gemma3",          "gpt2"};

json config_of(const std::string& name) {
  return json::parse(
      content(project() / "tests/model/transformer/reference" / name / "config.json"));
}

}  // namespace

TEST_CASE("config.json: a key that is absent or null means what it means to transformers") {
  for (const auto& family : record()["families"].items())
    for (const auto& recorded : family.value()["keys"].items()) {
      const std::string key = recorded.key();
      CASE(family.key(), recorded.key());
      const json config = without(family.value(), key);
      CHECK(value_in(config, family.key(), key) == recorded.value()["absent"]);
      // Gemma without a window is rejected if attention slides in a layer, which the reader knows.
      if (family.key() == "gemma3_text" && key == "sliding_window") continue;
      CHECK(value_in(json::parse(with_null(config, key)), family.key(), key) ==
            recorded.value()["null"]);
    }
}

TEST_CASE("config.json: each key of the table was asked of transformers") {
  for (const ConfigKey& row : config_keys())
    for (const auto& family : record()["families"].items())
      CHECK_AT(row.key, (!is_one_of(row.of, family.key()) ||
                         family.value()["keys"].contains(std::string(row.key))));
  for (const ConfigKey& row : rotary_keys())
    for (const auto& kind : record()["rotary"].items())
      CHECK_AT(row.key, (!is_one_of(row.of, kind.key()) ||
                         kind.value()["keys"].contains(std::string(row.key))));
}

TEST_CASE("config.json: keys of a rotary embedding that are absent or null") {
  const auto check = [](const json& config, const json& right) {
    Rotary own;
    const std::string line = message([&] {
      const JsonObject whole = completed(object_of(config), config_keys(), "llama");
      own = axelram::checkpoints::rotary(whole, whole.count("head_dim"),
                                         whole.count("max_position_embeddings"));
    });
    CHECK((right == "rejected") == !line.empty());
    if (right == "rejected" || !line.empty()) return;
    CHECK(own.attention_factor == doctest::Approx(right["factor"].get<double>()).epsilon(1e-9));
    REQUIRE(own.frequencies.size() == right["frequencies"].size());
    for (std::size_t i = 0; i < own.frequencies.size(); ++i)
      CHECK_AT(i, own.frequencies[i] ==
                      doctest::Approx(right["frequencies"][i].get<double>()).epsilon(2e-6));
  };
  for (const auto& kind : record()["rotary"].items())
    for (const auto& recorded : kind.value()["keys"].items()) {
      CASE(kind.key(), recorded.key());
      json config = kind.value()["base"];
      config.update(recorded.value()["others"]);
      check(config, recorded.value()["absent"]);
      config["rope_parameters"][recorded.key()] = nullptr;
      check(config, recorded.value()["null"]);
    }
}

TEST_CASE("config.json: a checkpoint without a key is the one with its default") {
  for (const std::string& name : kReferences) {
    const CheckpointCopy copy(name);
    json config = config_of(name);
    const std::string family = config["model_type"];
    for (const ConfigKey& row : config_keys()) {
      if (!is_one_of(row.of, family)) continue;
      const std::string key(row.key);
      CASE(name, row.key);
      json left_out = config;
      left_out.erase(key);
      const auto [line, absent] = read_with(copy, left_out);
      json given = left_out;
      given[key] = completed(object_of(left_out), config_keys(), family).json().value(key, json());
      const auto [other_line, with_default] = read_with(copy, given);
      CHECK(line.empty() == other_line.empty());
      if (line.empty()) check_same(absent, with_default);
    }
  }
}

TEST_CASE("config.json: a value that holds anyway is accepted, another is rejected by its key") {
  const json others = {0.5, false, true, "relu", 30, json::object({{"0", {{"hidden_size", 8}}}})};
  for (const std::string& name : kReferences) {
    const CheckpointCopy copy(name);
    const json config = config_of(name);
    const std::string family = config["model_type"];
    CASE(name);
    const auto [line, right] = read_with(copy, config);
    CHECK_SAME(line, "");
    for (const ConfigKey& row : config_keys()) {
      if (!is_one_of(row.of, family) || !row.held.starts_with('[')) continue;
      const std::string key(row.key);
      const json held = json::parse(row.held);
      for (const json& value : held) {
        CASE(row.key, value.dump());
        json changed = config;
        changed[key] = value;
        const auto [refusal, own] = read_with(copy, changed);
        CHECK_SAME(refusal, "");
        check_same(own, right);
      }
      for (const json& value : others) {
        if (std::find(held.begin(), held.end(), value) != held.end()) continue;
        CASE(row.key, value.dump());
        json changed = config;
        changed[key] = value;
        CHECK(contains(read_with(copy, changed).first,
                       "config.json: " + key + " is " + value.dump()));
      }
    }
  }
}

TEST_CASE("config.json: attention spans that are absent, null, 0 or of other layers") {
  const CheckpointCopy mistral("mistral-sliding"), qwen("qwen2-sliding");
  json config = config_of("mistral-sliding");
  const std::size_t layers = config["num_hidden_layers"];
  config.erase("sliding_window");
  CHECK_SAME(read_with(mistral, config).second.spans, std::vector<std::size_t>(layers, 4096));
  config["sliding_window"] = nullptr;
  CHECK(read_with(mistral, config).second.spans.empty());
  // With layer_types it is a Ministral model, which needs a window and a size of heads.
  config["layer_types"] = nullptr;
  CHECK(read_with(mistral, config).first ==
        "config.json: sliding_window is null; leave it out, which means 4096, or give a value");
  config["sliding_window"] = 16;
  CHECK_SAME(read_with(mistral, config).second.spans, std::vector<std::size_t>(layers, 16));
  config.erase("head_dim");
  CHECK(read_with(mistral, config).first == "config.json: head_dim is missing; the model needs it");

  config = config_of("qwen2-sliding");
  config.erase("sliding_window");
  CHECK_SAME(read_with(qwen, config).second.spans, std::vector<std::size_t>{0, 4096});
  config["layer_types"] = json::array({"attention", "sliding_attention"});
  CHECK_SAME(read_with(qwen, config).second.spans, std::vector<std::size_t>{0, 4096});
  config.erase("layer_types");
  config["max_window_layers"] = 0;
  CHECK_SAME(read_with(qwen, config).second.spans, std::vector<std::size_t>{4096, 4096});
  config.erase("max_window_layers");
  CHECK_SAME(read_with(qwen, config).second.spans, std::vector<std::size_t>{0, 0});
  config["sliding_window"] = nullptr;
  CHECK(read_with(qwen, config).second.spans.empty());
}

TEST_CASE("config.json: what lies both outside and inside of the rotary embedding's object") {
  const CheckpointCopy copy("llama-f32");
  json config = config_of("llama-f32");
  const auto failure = [&](const json& parameters) {
    config["rope_parameters"] = parameters;
    return read_with(copy, config).first;
  };
  json yarn = {{"rope_type", "yarn"}, {"rope_theta", 100.0}, {"factor", 2.0}};
  yarn["original_max_position_embeddings"] = 32;
  const json plain = {{"rope_type", "default"}, {"rope_theta", 100.0}};
  const std::string outside = "original_max_position_embeddings";
  config[outside] = nullptr;
  CHECK(failure(yarn) == "config.json: " + outside + " is null; leave it out or give a value");
  CHECK_SAME(failure(plain), "");
  config[outside] = "x";
  CHECK(failure(yarn) ==
        "config.json: " + outside + " is \"x\"; it must be a whole number in 1..2^31");
  config.erase(outside);

  config["rope_theta"] = nullptr;
  CHECK_SAME(failure(yarn), "");
  CHECK_SAME(failure(plain), "");
  const std::vector<double> frequencies = read_with(copy, config).second.rotary.frequencies;
  REQUIRE(frequencies.size() == 16);
  CHECK(frequencies[8] == doctest::Approx(0.1).epsilon(1e-12));
  const std::string null = "config.json: rope_theta is null; leave it out, which means 10000.0";
  CHECK(contains(failure({{"rope_type", "default"}}), null));
  CHECK(contains(failure(nullptr), null));
  config["rope_scaling"] = yarn;
  CHECK_SAME(failure(nullptr), "");
  config["rope_scaling"].erase("rope_theta");  // it comes before rope_parameters, as a whole
  CHECK(contains(failure(plain), null));
  config["rope_scaling"] = json::object();
  CHECK_SAME(failure(plain), "");

  const CheckpointCopy gemma("gemma3");
  config = config_of("gemma3");
  config["rope_theta"] = config["rope_local_base_freq"] = nullptr;
  CHECK(contains(read_with(gemma, config).first, "config.json: rope_theta is null; "));
  config["rope_scaling"] = plain;
  CHECK(contains(read_with(gemma, config).first, "config.json: rope_local_base_freq is null; "));
  config["rope_parameters"] = {{"full_attention", plain}, {"sliding_attention", plain}};
  CHECK_SAME(read_with(gemma, config).first, "");
  config["rope_scaling"] = nullptr;
  CHECK_SAME(read_with(gemma, config).first, "");
}

TEST_CASE("config.json: a null that a model needs is said to be one") {
  const CheckpointCopy copy("llama-f32");
  json config = config_of("llama-f32");
  config["rope_scaling"] = {{"rope_type", nullptr}, {"factor", 2.0}};
  CHECK(read_with(copy, config).first ==
        "config.json: rope_scaling.rope_type is null; the model needs a value");
  config["model_type"] = nullptr;
  CHECK(read_with(copy, config).first ==
        "config.json: model_type is null; the model needs a value");
}

TEST_CASE("config.json: Gemma's pattern of sliding layers means nothing beside layer_types") {
  const CheckpointCopy copy("gemma3");
  json config = config_of("gemma3");
  config["sliding_window_pattern"] = nullptr;
  CHECK(
      read_with(copy, config).first ==
      "config.json: sliding_window_pattern is null; leave it out, which means 6, or give a value");
  config["layer_types"] = json(7, "sliding_attention");
  CHECK_SAME(read_with(copy, config).second.spans, std::vector<std::size_t>(7, 8));
}

TEST_CASE("config.json: layers without settings of their own") {
  for (const std::string name : {"llama-f32", "gpt2"}) {
    CASE(name);
    const CheckpointCopy copy(name);
    json config = config_of(name);
    const json none = json::object();
    for (const json& held : {none, json{{"0", none}}, json{{"0", none}, {"1", none}}}) {
      CASE(held);
      config["per_layer_config"] = held;
      CHECK_SAME(read_with(copy, config).first, "");
    }
    for (const json& other :
         {json{{"2", none}}, json{{"-1", none}}, json{{"x", none}}, json{{"0", nullptr}},
          json{{"0", {{"head_dim", 8}}}}, json::array({none}), json(0)}) {
      CASE(other);
      config["per_layer_config"] = other;
      CHECK(contains(read_with(copy, config).first,
                     "config.json: per_layer_config is " + other.dump() +
                         "; supported are null, {} or an empty object for a layer"));
    }
  }
}

TEST_CASE("config.json: GPT-2's sizes under the names of other classes") {
  const CheckpointCopy copy("gpt2");
  json config = config_of("gpt2");
  const json width = config["n_embd"];
  config["hidden_size"] = width;
  CHECK_SAME(read_with(copy, config).first, "");
  config.erase("n_embd");
  CHECK_SAME(read_with(copy, config).first, "");
  config["n_embd"] = 64;
  CHECK(contains(read_with(copy, config).first,
                 "config.json: hidden_size is " + width.dump() + "; supported is 64"));
}

TEST_CASE("config.json: what is rejected says what would be right") {
  const CheckpointCopy copy("llama-f32");
  json config = config_of("llama-f32");
  config["vocab_size"] = nullptr;
  CHECK(read_with(copy, config).first ==
        "config.json: vocab_size is null; leave it out, which means 32000, or give a value");
  config.erase("vocab_size");
  CHECK(contains(read_with(copy, config).first,
                 "config.json without vocab_size (32000) makes it [32000, 32]"));
  config = config_of("llama-f32");
  config["rope_parameters"] = {{"full_attention", {{"rope_theta", 5}}}};
  CHECK(contains(read_with(copy, config).first,
                 "rope_parameters.full_attention is {\"rope_theta\":5}; the layers of this model"));
}

TEST_CASE("the page of checkpoints shows the tables of keys") {
  const std::string page = "reference/checkpoints.md";
  check_page(page, "config-keys", config_keys_markdown(config_keys(), "families"));
  check_page(page, "rotary-keys", config_keys_markdown(rotary_keys(), "kinds"));
  check_page(page, "gguf-keys", gguf_keys_markdown());
}
