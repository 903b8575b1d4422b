#include <numeric>

#include "checkpoints/support.hpp"

using namespace axelram::files;
using nlohmann::json;
using namespace test;
using Tensors = std::vector<Tensor>;

namespace {

constexpr char kIndex[] = "model.safetensors.index.json";

std::string with_tensors(const CheckpointCopy& copy, const std::function<void(Tensors&)>& edit) {
  const std::string whole = test::content(copy / "model.safetensors");
  copy.edit(edit);
  const std::string line = copy.failure();
  test::put(copy / "model.safetensors", whole);
  return line;
}

/// The message where this tensor's entry in the index is another one.
std::string placed(const CheckpointCopy& copy, const std::string& name, const json& place) {
  const std::string whole = test::content(copy / kIndex);
  json index = json::parse(whole);
  index["weight_map"][name] = place;
  test::put(copy / kIndex, index.dump());
  const std::string line = copy.failure();
  test::put(copy / kIndex, whole);
  return line;
}

}  // namespace

TEST_CASE("model.safetensors: an lm_head beside tied embeddings is the head if it differs") {
  for (const auto& [model, embedding] : {std::pair{"qwen3", "model.embed_tokens.weight"},
                                         {"gemma3", "model.embed_tokens.weight"},
                                         {"gpt2", "transformer.wte.weight"}}) {
    CASE(model);
    const CheckpointCopy copy(model);
    std::string bytes;
    const auto with_head = [&](std::uint64_t rows, std::uint8_t change) {
      copy.edit([&, name = embedding](Tensors& tensors) {
        Tensor head = tensor(tensors, name);
        bytes.assign(reinterpret_cast<const char*>(head.data), head.bytes);
        bytes[0] = static_cast<char>(bytes[0] ^ change);
        head.name = "lm_head.weight";
        head.shape[0] = rows;
        head.bytes = head.bytes / 96 * rows;
        head.data = reinterpret_cast<const std::uint8_t*>(bytes.data());
        std::erase_if(tensors, [](const Tensor& each) { return each.name == "lm_head.weight"; });
        tensors.push_back(head);
      });
    };
    with_head(96, 0);
    const auto tied = copy.read();
    CHECK(tied.head.data == tied.embedding.data);
    with_head(96, 1);
    const auto untied = copy.read();
    REQUIRE(untied.head.data != untied.embedding.data);
    std::vector<float> own(32), embedded(32);
    untied.head.rows(0, 1, own.data());
    untied.embedding.rows(0, 1, embedded.data());
    CHECK(own[0] != embedded[0]);
    CHECK(own[1] == embedded[1]);
    with_head(95, 0);
    CHECK(contains(copy.failure(), "tensor lm_head.weight: shape is [95, 32]; config.json "));
  }
}

TEST_CASE("model.safetensors: cut off at any place") {
  for (const std::string model : {"llama-f32", "gpt2"}) {
    CASE(model);
    const CheckpointCopy copy(model);
    const std::string whole = test::content(copy / "model.safetensors");
    std::vector<std::size_t> sizes = {0, 1, 7, 8, 9, 100, 2000, whole.size() - 1, whole.size() - 4};
    for (std::size_t size = 3000; size < whole.size(); size += 9973) sizes.push_back(size);
    for (const std::size_t size : sizes) {
      CASE(size);
      test::put(copy / "model.safetensors", whole.substr(0, size));
      CHECK(contains(copy.failure(), "model.safetensors: "));
    }
    test::put(copy / "model.safetensors", whole + "x");
    CHECK(contains(copy.failure(), "1 bytes after the last tensor belong to none"));
  }
}

TEST_CASE("model.safetensors: each tensor missing, in another shape, in another type") {
  for (const std::string model : {"llama-f32", "gpt2", "qwen3"}) {
    CASE(model);
    const CheckpointCopy copy(model);
    std::vector<std::string> names;
    copy.edit([&](Tensors& tensors) {
      for (const Tensor& each : tensors) names.push_back(each.name);
    });
    const bool tied = model == "qwen3";
    const std::string config =
        model == "gpt2" ? "config.json without n_inner (128)" : "config.json";
    for (const std::string& name : names) {
      if (tied && name == "lm_head.weight") continue;
      CASE(name);
      const std::string missing = with_tensors(copy, [&](Tensors& tensors) {
        std::erase_if(tensors, [&](const Tensor& each) { return each.name == name; });
      });
      // Without its embedding a GPT-2 looks like one whose names have no prefix.
      const bool prefix = name == "transformer.wte.weight";
      CHECK(contains(missing, "tensor " + (prefix ? "wte.weight" : name) + " is missing; " +
                                  config + " asks for it, with shape ["));
      const std::string flat = with_tensors(copy, [&](Tensors& tensors) {
        auto& shape = test::tensor(tensors, name).shape;
        shape.insert(shape.begin(), 1);
      });
      CHECK(contains(flat, "model.safetensors: tensor " + name + ": shape is [1, "));
      CHECK(contains(flat, "; " + config + " makes it ["));
      const std::string type = with_tensors(copy, [&](Tensors& tensors) {
        Tensor& each = test::tensor(tensors, name);
        each.type = size_of(each.type) == 4 ? DataType::i32 : DataType::i16;
      });
      CHECK(contains(type, "model.safetensors: tensor " + name + ": dtype is I"));
      CHECK(contains(type, "; weights must be F32, F16 or BF16"));
    }
  }
}

TEST_CASE("model.safetensors: a tensor left over") {
  const CheckpointCopy llama("llama-f32"), gpt2("gpt2");
  const std::vector<float> values(64, 1.0F);
  const auto add = [&](const std::string& name) {
    return [&values, name](Tensors& tensors) {
      tensors.push_back(view(name, DataType::f32, {64}, values));
    };
  };
  CHECK(with_tensors(llama, add("model.layers.0.self_attn.q_norm.weight")) ==
        "model.safetensors: tensor model.layers.0.self_attn.q_norm.weight: no weight of the llama "
        "model that config.json describes");
  CHECK(contains(with_tensors(llama, add("a\nb")), "tensor a\\x0ab: no weight of the llama model"));
  CHECK(contains(with_tensors(gpt2, add("transformer.h.0.self_attn.key_offset")),
                 "no weight of the gpt2"));
  // These hold no weights, and models that were trained long ago have them.
  CHECK(with_tensors(llama, add("model.layers.1.self_attn.rotary_emb.inv_freq")) == "");
  CHECK(with_tensors(gpt2, add("transformer.h.1.attn.masked_bias")) == "");
  llama.change({{"num_hidden_layers", 1}});
  CHECK(contains(llama.failure(), "tensor model.layers.1."));
}

TEST_CASE("key_offset is read where there is one") {
  const CheckpointCopy copy("llama-f32");
  const std::string name = "model.layers.1.self_attn.key_offset";
  std::vector<float> offset(64);
  std::iota(offset.begin(), offset.end(), -7.5F);
  CHECK(contains(with_tensors(copy,
                              [&](Tensors& tensors) {
                                tensors.push_back(view(name, DataType::f32, {2, 32}, offset));
                              }),
                 "tensor " + name + ": shape is [2, 32]; config.json makes it [64]"));
  CHECK(copy.read().layers[1].key_offset.empty());
  copy.edit([&](Tensors& tensors) { tensors.push_back(view(name, DataType::f32, {64}, offset)); });
  const auto checkpoint = copy.read();
  CHECK(checkpoint.layers[0].key_offset.empty());
  CHECK_SAME(checkpoint.layers[1].key_offset, offset);
}

TEST_CASE("the index: files elsewhere, missing shards, tensors that are not there") {
  const CheckpointCopy copy("llama-bf16-tied");
  const std::string norm = "model.norm.weight", second = "model-00002-of-00003.safetensors";
  for (const json& place : {json("../" + second), json("/tmp/" + second), json(""), json(".."),
                            json("."), json(std::string("a\0b", 3))}) {
    CASE(place.dump());
    const std::string line = placed(copy, norm, place);
    CHECK(contains(line, std::string(kIndex) + ": weight_map." + norm + " is "));
    CHECK(contains(line, "; it must name a file in the same folder"));
  }
  CHECK(contains(placed(copy, norm, 3), "weight_map." + norm + " is 3; it must be a text"));
  CHECK(contains(placed(copy, norm, "other.safetensors"), "other.safetensors: "));
  const std::string lacks = "; that file has no such tensor";
  CHECK(contains(placed(copy, "model.nothing", second),
                 "weight_map.model.nothing is \"" + second + "\"" + lacks));
  CHECK(contains(placed(copy, norm, "model-00001-of-00003.safetensors"),
                 "weight_map." + norm + " is \"model-00001-of-00003.safetensors\"" + lacks));
  CHECK(copy.failure() == "");

  const std::string shard = test::content(copy / second);
  test::put(copy / second, shard.substr(0, 5000));
  CHECK(contains(copy.failure(), second + ": tensor "));
  std::filesystem::remove(copy / second);
  CHECK(contains(copy.failure(), second + ": "));
  // A shard of another checkpoint under this name.
  test::put(copy / second, test::content(copy / "model-00001-of-00003.safetensors"));
  CHECK(contains(copy.failure(), second + "\"" + lacks));
  test::put(copy / second, shard);
  CHECK(copy.failure() == "");
}

TEST_CASE("a tensor that two shards hold") {
  const CheckpointCopy copy("llama-bf16-tied");
  const std::vector<std::uint16_t> values(32);
  axelram::files::write_safetensors(
      copy / "more.safetensors",
      {axelram::files::view("model.norm.weight", DataType::bf16, {32}, values),
       axelram::files::view("model.layers.0.self_attn.rotary_emb.inv_freq", DataType::bf16, {32},
                            values)},
      {}, false);
  const std::string line =
      placed(copy, "model.layers.0.self_attn.rotary_emb.inv_freq", "more.safetensors");
  CHECK(contains(line, "tensor model.norm.weight"));
  CHECK(contains(line, "more.safetensors"));
}

TEST_CASE("the index: cut off, without a map; no weights at all") {
  const CheckpointCopy copy("llama-bf16-tied");
  const std::string whole = test::content(copy / kIndex);
  test::put(copy / kIndex, whole.substr(0, 700));
  CHECK(contains(copy.failure(), std::string(kIndex) + ": no JSON from byte"));
  test::put(copy / kIndex, "{}");
  CHECK(copy.failure() == std::string(kIndex) + ": weight_map is missing; the model needs it");
  test::put(copy / kIndex, R"({"weight_map": {}})");
  CHECK(contains(copy.failure(), "tensor model.embed_tokens.weight is missing"));
  std::filesystem::remove(copy / kIndex);
  CHECK(contains(copy.failure(), "neither model.safetensors nor " + std::string(kIndex)));
  std::filesystem::create_directory(copy / "model.safetensors");
  CHECK(contains(copy.failure(), "model.safetensors: Is a directory"));
}
