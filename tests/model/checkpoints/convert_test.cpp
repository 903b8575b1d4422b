#include "axelram/checkpoints/convert.hpp"

#include <cmath>
#include <numbers>

#include "checkpoints/support.hpp"
#include "checkpoints/tiny_gguf.hpp"

using namespace axelram;
using checkpoints::Architecture;
using checkpoints::Matrix;
using nlohmann::json;
using test::contains;

namespace {

const std::string kGgufFiles = std::string(AXELRAM_SOURCE) + "/tests/model/checkpoints/reference/";

void convert_to(const std::string& path, const std::string& folder, bool force = false,
                const checkpoints::TokenizerTexts& tokenizer = {}) {
  checkpoints::Conversion(path).write(tokenizer, {folder, force, {path}});
}

json config_in(const std::string& folder) {
  return json::parse(test::content(folder + "/config.json"));
}

std::vector<float> values_of(const Matrix& matrix) {
  std::vector<float> values(matrix.outputs * matrix.inputs);
  if (!values.empty()) matrix.rows(0, matrix.outputs, values.data());
  return values;
}

void check_equal(const Architecture& a, const Architecture& b) {
  CHECK(a.family == b.family);
  for (const auto size : {&Architecture::hidden, &Architecture::layers, &Architecture::heads,
                          &Architecture::kv_heads, &Architecture::head_dim, &Architecture::ffn,
                          &Architecture::vocabulary, &Architecture::max_positions})
    CHECK_AT(size, a.*size == b.*size);
  CHECK(a.norm_epsilon == b.norm_epsilon);
  CHECK(a.layer_norm == b.layer_norm);
  CHECK(a.feed_forward == b.feed_forward);
  CHECK(a.embedding_scale == b.embedding_scale);
  CHECK(a.query_scalar == b.query_scalar);
  CHECK(a.positions == b.positions);
  CHECK_SAME(a.rotary.frequencies, b.rotary.frequencies);
  CHECK(a.rotary.attention_factor == b.rotary.attention_factor);
  CHECK_SAME(a.local_rotary.frequencies, b.local_rotary.frequencies);
  CHECK_SAME(a.spans, b.spans);
}

void check_equal(const checkpoints::Layer& a, const checkpoints::Layer& b) {
  using checkpoints::Layer;
  for (const auto vector :
       {&Layer::attention_norm, &Layer::attention_norm_bias, &Layer::q_bias, &Layer::k_bias,
        &Layer::v_bias, &Layer::o_bias, &Layer::attention_post_norm, &Layer::q_norm, &Layer::k_norm,
        &Layer::key_offset, &Layer::ffn_norm, &Layer::ffn_norm_bias, &Layer::ffn_post_norm,
        &Layer::gate_bias, &Layer::up_bias, &Layer::down_bias}) {
    CASE(vector);
    CHECK_SAME(a.*vector, b.*vector);
  }
  for (const auto matrix :
       {&Layer::q, &Layer::k, &Layer::v, &Layer::o, &Layer::gate, &Layer::up, &Layer::down}) {
    CASE(matrix);
    CHECK_SAME(values_of(a.*matrix), values_of(b.*matrix));
  }
}

/// Divisors as llama.cpp's converter computes them from Llama 3.1's parameters.
std::vector<float> llama3_divisors(float factor) {
  std::vector<float> divisors;
  for (int i = 0; i < 8; ++i) {
    const float frequency = 1 / std::pow(50000.0F, static_cast<float>(2 * i) / 16);
    const float wavelength = 2 * std::numbers::pi_v<float> / frequency;
    const float smooth = (8192 / wavelength - 1) / 3;
    divisors.push_back(wavelength < 2048   ? 1
                       : wavelength > 8192 ? factor
                                           : 1 / ((1 - smooth) / factor + smooth));
  }
  return divisors;
}

/// The line that converting this file fails with.
std::string failure_of(test::TinyGguf tiny) {
  const test::TemporaryFolder folder;
  tiny.write(folder / "tiny.gguf");
  std::string line = test::message([&] { convert_to(folder / "tiny.gguf", folder / "out"); });
  CHECK(folder.entries() == 1);
  return line;
}

}  // namespace

TEST_CASE("a converted folder has the weights of the GGUF file, held as F16") {
  for (const std::string name : {"llama", "llama-bias", "qwen2", "qwen3", "gemma3", "gpt2"}) {
    CASE(name);
    const test::TemporaryFolder folder;
    const std::string path = kGgufFiles + name + ".gguf";
    convert_to(path, folder / "out");
    auto right = checkpoints::read_checkpoint(path);
    checkpoints::hold_as_f16(&right);
    const auto own = checkpoints::read_checkpoint(folder / "out");
    check_equal(own.architecture, right.architecture);
    CHECK_SAME(values_of(own.embedding), values_of(right.embedding));
    CHECK_SAME(values_of(own.head), values_of(right.head));
    CHECK_SAME(values_of(own.positions), values_of(right.positions));
    CHECK((own.head.data == own.embedding.data) == (right.head.data == right.embedding.data));
    CHECK_SAME(own.final_norm, right.final_norm);
    CHECK_SAME(own.final_norm_bias, right.final_norm_bias);
    REQUIRE(own.layers.size() == right.layers.size());
    for (std::size_t l = 0; l < own.layers.size(); ++l) {
      CASE(l);
      check_equal(own.layers[l], right.layers[l]);
    }
  }
}

TEST_CASE("matrices are F16, vectors F32 and first, so that every tensor is aligned") {
  const test::TemporaryFolder folder;
  const std::string path = kGgufFiles + "gpt2.gguf";
  const checkpoints::Conversion conversion(path);
  std::vector<std::size_t> told;
  conversion.write({}, {folder / "out", false, {path}},
                   [&](std::size_t written) { told.push_back(written); });
  const auto file = files::Safetensors::read(folder / "out/model.safetensors");
  CHECK(file.metadata_at("format") == "pt");
  std::uint64_t bytes = 0;
  int matrices = 0;
  for (const files::Tensor& tensor : file.tensors()) {
    CASE(tensor.name);
    CHECK(tensor.type == (tensor.shape.size() == 2 ? files::DataType::f16 : files::DataType::f32));
    matrices += tensor.shape.size() == 2 ? 1 : 0;
    CHECK((matrices == 0) == (tensor.shape.size() == 1));
    CHECK(tensor.name.starts_with("transformer."));
    bytes += tensor.bytes;
  }
  CHECK(conversion.tensors() == file.tensors().size());
  CHECK(conversion.bytes() == bytes);
  CHECK(conversion.types().at("Q8_0") == 3);
  CHECK(told.size() == conversion.tensors());
  CHECK(told.back() == conversion.tensors());
}

TEST_CASE("config.json has what transformers takes from it, defaults too") {
  const std::map<std::string, std::string> classes = {{"llama", "LlamaForCausalLM"},
                                                      {"qwen2", "Qwen2ForCausalLM"},
                                                      {"qwen3", "Qwen3ForCausalLM"},
                                                      {"gemma3", "Gemma3ForCausalLM"},
                                                      {"gpt2", "GPT2LMHeadModel"}};
  for (const auto& [name, right] : classes) {
    CASE(name);
    const test::TemporaryFolder folder;
    convert_to(kGgufFiles + name + ".gguf", folder / "out");
    const json config = config_in(folder / "out");
    CHECK(config["architectures"] == json({right}));
    CHECK(config["torch_dtype"] == "float32");
    for (const char* id : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
      CASE(id);
      REQUIRE(config.contains(id));
      CHECK(config[id].is_null());
    }
    CHECK(config.contains("head_dim") == (name != "gpt2"));
    if (name == "gemma3") {
      CHECK(config["layer_types"].size() == 6);
      CHECK(config["layer_types"][5] == "full_attention");
      CHECK(config["query_pre_attn_scalar"] == 48);
    }
    CHECK_FALSE(config.contains("rope_scaling"));
  }
}

TEST_CASE("ids with a role are written, and must be in the vocabulary") {
  const test::TemporaryFolder folder;
  test::TinyGguf tiny;
  tiny.file.u32("tokenizer.ggml.bos_token_id", 1).u32("tokenizer.ggml.padding_token_id", 23);
  tiny.write(folder / "tiny.gguf");
  convert_to(folder / "tiny.gguf", folder / "out");
  const json config = config_in(folder / "out");
  CHECK(config["bos_token_id"] == 1);
  CHECK(config["eos_token_id"].is_null());
  CHECK(config["pad_token_id"] == 23);

  test::TinyGguf beyond;
  beyond.file.u32("tokenizer.ggml.eos_token_id", 24);
  CHECK(contains(failure_of(beyond), "eos_token_id is 24; it must be an id in 0..23"));
}

TEST_CASE("divisors of frequencies become llama3 scaling") {
  for (const float factor : {8.0F, 32.0F}) {
    CASE(factor);
    const test::TemporaryFolder folder;
    test::TinyGguf tiny;
    tiny.add("rope_freqs.weight", llama3_divisors(factor));
    tiny.write(folder / "tiny.gguf");
    convert_to(folder / "tiny.gguf", folder / "out");
    CHECK(config_in(folder / "out")["rope_scaling"] ==
          json({{"rope_type", "llama3"},
                {"factor", factor},
                {"low_freq_factor", 1.0},
                {"high_freq_factor", 4.0},
                {"original_max_position_embeddings", 8192}}));
    const auto own = checkpoints::read_checkpoint(folder / "out").architecture.rotary.frequencies;
    const auto right =
        checkpoints::read_checkpoint(folder / "tiny.gguf").architecture.rotary.frequencies;
    for (std::size_t i = 0; i < right.size(); ++i)
      CHECK_AT(i, own[i] == doctest::Approx(right[i]).epsilon(1e-6));
  }
  const test::TemporaryFolder folder;
  test::TinyGguf plain;
  plain.add("rope_freqs.weight", std::vector<float>(8, 1));
  plain.write(folder / "tiny.gguf");
  convert_to(folder / "tiny.gguf", folder / "out");
  CHECK_FALSE(config_in(folder / "out").contains("rope_scaling"));
}

TEST_CASE("divisors that no parameters make are rejected by name") {
  for (const std::size_t changed : {0U, 5U, 7U}) {
    CASE(changed);
    test::TinyGguf tiny;
    std::vector<float> divisors = llama3_divisors(8);
    divisors[changed] *= 1.00001F;
    tiny.add("rope_freqs.weight", divisors);
    const std::string line = failure_of(tiny);
    CHECK(contains(line, "tensor rope_freqs.weight: its divisors are not those of llama3 scaling"));
  }
  test::TinyGguf both;
  both.add("rope_freqs.weight", llama3_divisors(8));
  both.file.put_text("llama.rope.scaling.type", "linear");
  both.real("rope.scaling.factor", 4);
  CHECK(contains(failure_of(both), "the metadata scales the rotary embedding too"));
}

TEST_CASE("a weight beyond F16 is rejected, and nothing remains") {
  test::TinyGguf tiny;
  tiny.largest = 7e4F;
  CHECK(contains(failure_of(tiny), "which F16 cannot hold; use the weights as they are stored"));
}

TEST_CASE("what is no GGUF file is named") {
  const test::TemporaryFolder folder;
  test::put(folder / "model.bin", "no such thing");
  const auto message = [&](const std::string& path) {
    return test::message([&] { const checkpoints::Conversion conversion(path); });
  };
  CHECK(contains(message(folder / "model.bin"), "no GGUF file; it does not begin with GGUF"));
  CHECK(contains(message(folder.path()), "is a folder; convert takes a GGUF file"));
  CHECK(contains(message(folder / "none"), "no such file"));
}

TEST_CASE("only what convert wrote is replaced, and only with force") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "tiny.gguf", out = folder / "out";
  test::TinyGguf().write(path);
  convert_to(path, out, false, {"{\"a\": 1}", "{\"b\": 1}", ""});
  CHECK_SAME(test::content(out + "/tokenizer.json"), "{\"a\": 1}");
  CHECK_SAME(test::content(out + "/tokenizer_config.json"), "{\"b\": 1}");
  const std::string weights = test::content(out + "/model.safetensors");
  const auto rejected = [&](const std::string& where, bool force) {
    const files::OutputFolder output{where, force, {path}};
    const std::string line = test::message([&] { convert_to(path, where, force); });
    CHECK(line == test::message([&] { checkpoints::Conversion::check(output); }));
    return line;
  };
  CHECK(contains(rejected(out, false), "give --force to replace it"));
  convert_to(path, out, true, {"", "", "none was there"});
  CHECK_FALSE(std::filesystem::exists(out + "/tokenizer.json"));
  CHECK_SAME(test::content(out + "/model.safetensors"), weights);
  const json record = json::parse(test::content(out + "/convert.json"));
  CHECK(record["source"] == path);
  CHECK(record["types"] == json({{"F32", 11}}));
  CHECK(record["no_tokenizer"] == "none was there");

  test::put(out + "/mine", "");
  CHECK(contains(rejected(out, true), "holds 'mine', which convert did not write"));
  std::filesystem::remove(out + "/mine");
  std::filesystem::remove(out + "/convert.json");
  CHECK(contains(rejected(out, true), "holds a model, which convert did not write"));
  CHECK(contains(rejected(folder.path(), true), "is, holds or lies in an input"));
  CHECK(contains(rejected(path, true), "is, holds or lies in an input"));
  CHECK(folder.entries() == 2);
}
