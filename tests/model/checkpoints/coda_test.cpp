#include <limits>
#include <numeric>

#include "check.hpp"
#include "checkpoints/support.hpp"

using namespace axelram;
using files::DataType;
using nlohmann::json;
using test::CheckpointCopy;
using Tensors = std::vector<files::Tensor>;

namespace {

constexpr char kPrefix[] = "model.layers.0.self_attn.";

/// Tensors of the first layer, of which the values live as long as this.
struct CodaTensors {
  std::vector<float> values = std::vector<float>(1 << 14);

  CodaTensors() { std::iota(values.begin(), values.end(), -3.5F); }

  void add(const CheckpointCopy& copy, const std::string& name, files::Shape shape) const {
    std::size_t count = 1;
    for (const std::uint64_t extent : shape) count *= extent;
    const std::vector<float> own(values.begin(),
                                 values.begin() + static_cast<std::ptrdiff_t>(count));
    const auto file = files::Safetensors::read(copy / "model.safetensors");
    Tensors all = file.tensors();
    all.push_back(files::view(kPrefix + name, DataType::f32, std::move(shape), own));
    files::write_safetensors(copy / "model.safetensors", all, {}, true);
  }
  /// The same, and the failure that follows.
  std::string failure(const CheckpointCopy& copy, const std::string& name,
                      files::Shape shape) const {
    add(copy, name, std::move(shape));
    return copy.failure();
  }
};

json with(const json& coda) { return {{"coda", coda}}; }

}  // namespace

TEST_CASE("coda: a checkpoint without it has none, and its tensors are left over") {
  const CheckpointCopy copy("llama-f32");
  CHECK(!copy.read().architecture.coda);
  const auto a = copy.read().architecture;
  CHECK(
      CodaTensors().failure(copy, "theta", {a.heads, a.head_dim / 2}) ==
      "model.safetensors: tensor model.layers.0.self_attn.theta: no weight of the llama model that "
      "config.json describes");
}

TEST_CASE("coda: every tensor is read") {
  const CheckpointCopy copy("llama-f32");
  const auto a = copy.read().architecture;
  copy.change(with({{"rotation_pairs", "interleaved"},
                    {"head_norm", "rms"},
                    {"gate_bias", true},
                    {"memory", "window=8,exact=4"}}));
  CHECK(test::contains(copy.failure(), "head_norm.weight is missing"));
  copy.change(with({{"gate_bias", true}, {"memory", "window=8,exact=4"}}));
  const CodaTensors tensors;
  tensors.add(copy, "theta", {a.heads, a.head_dim / 2});
  CHECK(test::contains(copy.failure(), "lambda_proj.weight is missing"));
  tensors.add(copy, "lambda_proj.weight", {a.heads, a.hidden});
  CHECK(test::contains(copy.failure(), "lambda_proj.bias is missing"));
  tensors.add(copy, "lambda_proj.bias", {a.heads});
  tensors.add(copy, "write_proj.weight", {1, a.hidden});
  CHECK(test::contains(copy.failure(), "write_proj.bias is missing"));
  tensors.add(copy, "write_proj.bias", {1});
  tensors.add(copy, "summary_eta_logit", {a.kv_heads});
  const auto c = copy.read();
  const checkpoints::Coda& coda = *c.architecture.coda;
  CHECK(!coda.interleaved);
  CHECK(!coda.head_norm);
  CHECK(coda.gate_bias);
  CHECK(coda.memory == "window=8,exact=4");
  const checkpoints::CodaWeights& first = c.layers[0].coda;
  CHECK(first.theta.size() == a.heads * a.head_dim / 2);
  CHECK(first.theta[3] == -0.5F);
  CHECK(first.lambda.outputs == a.heads);
  CHECK(first.lambda_bias.size() == a.heads);
  CHECK(first.write.outputs == 1);
  CHECK_SAME(first.write_bias, std::vector<float>{-3.5F});
  CHECK(first.summary_eta_logit.size() == a.kv_heads);
  CHECK(first.head_norm.empty());
  CHECK(c.layers[1].coda.theta.empty());  // a layer may be without
}

TEST_CASE("coda: a gate for each KV head, a norm for all heads or for each") {
  const CheckpointCopy copy("llama-f32");
  const auto a = copy.read().architecture;
  REQUIRE(a.kv_heads > 1);
  const CodaTensors tensors;
  copy.change(with(json::object()));
  tensors.add(copy, "write_proj.weight", {a.kv_heads, a.hidden});
  tensors.add(copy, "write_proj.bias", {a.kv_heads});
  CHECK(copy.read().layers[0].coda.write.outputs == a.kv_heads);
  copy.change({{"num_hidden_layers", 1}, {"coda", {{"head_norm", "rms"}}}});
  copy.edit([](Tensors& all) {
    std::erase_if(all, [](const files::Tensor& tensor) {
      return tensor.name.find("layers.1.") != std::string::npos;
    });
  });
  tensors.add(copy, "head_norm.weight", {a.head_dim});
  const auto shared = copy.read().layers[0].coda.head_norm;
  CHECK(shared.size() == a.heads * a.head_dim);
  CHECK(shared[a.head_dim] == shared[0]);
  copy.edit([](Tensors& all) { all.pop_back(); });
  tensors.add(copy, "head_norm.weight", {a.heads, a.head_dim});
  const auto own = copy.read().layers[0].coda.head_norm;
  CHECK(own[a.head_dim] == own[0] + static_cast<float>(a.head_dim));
}

TEST_CASE("coda: what is wrong is named") {
  const CheckpointCopy copy("llama-f32");
  const auto a = copy.read().architecture;
  copy.change(with({{"heads", 3}}));
  CHECK(copy.failure() ==
        "config.json: coda.heads is 3; known keys are rotation_pairs, head_norm, gate_bias or "
        "memory");
  copy.change(with({{"rotation_pairs", "halves"}}));
  CHECK(test::contains(copy.failure(), "coda.rotation_pairs is \"halves\"; it must be rotary or "));
  copy.change(with(3));
  CHECK(test::contains(copy.failure(), "coda"));
  copy.change(with(json::object()));
  CodaTensors tensors;
  CHECK(test::contains(tensors.failure(copy, "theta", {a.heads, a.head_dim}),
                       "theta: shape is [" + std::to_string(a.heads)));
  copy.edit([](Tensors& all) { all.pop_back(); });
  tensors.values[1] = std::numeric_limits<float>::quiet_NaN();
  CHECK(test::contains(tensors.failure(copy, "theta", {a.heads, a.head_dim / 2}),
                       "theta: angles must be finite"));
  const CheckpointCopy gpt2("gpt2");
  gpt2.change(with(json::object()));
  CHECK(
      test::contains(gpt2.failure(), "differential attention is for models with rotary embedding"));
}
