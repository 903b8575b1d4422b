#include <algorithm>
#include <cstring>

#include "stressed.hpp"

using namespace axelram;
using namespace test;

namespace {

namespace fs = std::filesystem;

stress::Changes strong() { return {.pairs = 4, .scale_high = 20, .bias = 100}; }

/// A copy of a model in a folder, with a tokenizer beside it.
std::string model_in(const test::TemporaryFolder& folder, const std::string& name) {
  const std::string model = folder / "model";
  fs::copy(test::reference(name), model);
  fs::remove(model + "/expected.safetensors");
  test::put(model + "/tokenizer.json", "{\"any\": \"thing\"}");
  return model;
}

stress::Written write(const std::string& model, const std::string& out, bool force = false,
                      const stress::Changes& options = strong()) {
  return stress::write_model(checkpoints::read_checkpoint(model), options, {},
                             {out, force, {model}});
}

bool same(const files::Tensor& a, const files::Tensor& b) {
  return a.type == b.type && a.bytes == b.bytes && std::memcmp(a.data, b.data, a.bytes) == 0;
}

bool of_first_attention(const std::string& name) {
  const std::vector<std::string> parts = {"layers.0.self_attn.q_", "layers.0.self_attn.k_",
                                          "h.0.attn.c_attn."};
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) -> bool { return contains(name, part); });
}

}  // namespace

TEST_CASE("what does not change stays byte for byte, what changes is F32") {
  for (const std::string& name : test::kCheckpoints) {
    CASE(name);
    const test::TemporaryFolder folder;
    const std::string model = model_in(folder, name), out = folder / "out";
    const stress::Written written = write(model, out);
    CHECK(folder.entries() == 2);
    CHECK_SAME(content(out + "/config.json"), content(model + "/config.json"));
    CHECK_SAME(content(out + "/tokenizer.json"), content(model + "/tokenizer.json"));
    const auto after = files::Safetensors::read(out + "/model.safetensors");
    CHECK(after.metadata_at("format") == "pt");
    CHECK(contains(after.metadata_at("axelram_stress"), "\"scale\":[8.0,20.0]"));
    std::size_t found = 0, changed = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(model)) {
      CASE(entry);
      if (entry.path().extension() != ".safetensors") continue;
      const auto before = files::Safetensors::read(entry.path());
      for (const files::Tensor& tensor : before.tensors()) {
        ++found;
        CASE(tensor.name);
        const files::Tensor& now = after.at(tensor.name);
        CHECK_SAME(now.shape, tensor.shape);
        if (same(now, tensor)) continue;
        ++changed;
        CHECK(now.type == files::DataType::f32);
        CHECK(of_first_attention(tensor.name));
      }
    }
    const bool gpt2 = contains(name, "gpt2"), qwen2 = contains(name, "qwen2");
    const std::size_t added = gpt2 ? 0 : 1;  // the key offset
    CHECK(changed == (qwen2 || name == "llama-f16-bias" ? 4 : 2));
    CHECK(after.tensors().size() == found + added);
    CHECK(written.tensors == found + added);
    CHECK(written.changed == changed + added);
  }
}

TEST_CASE("every tensor is aligned, as some readers need it") {
  const test::TemporaryFolder folder;
  const std::string model = model_in(folder, "gpt2"), file = model + "/model.safetensors";
  const std::vector<std::uint8_t> odd(3);
  {
    const auto whole = files::Safetensors::read(file);
    std::vector<files::Tensor> tensors = whole.tensors();
    tensors.insert(tensors.begin(),
                   files::view("transformer.h.0.attn.masked_bias", files::DataType::u8, {3}, odd));
    files::write_safetensors(file, tensors, {}, true);
  }
  write(model, folder / "out");
  const auto after = files::Safetensors::read(folder / "out/model.safetensors");
  CHECK(after.find("transformer.h.0.attn.masked_bias") != nullptr);
  for (const files::Tensor& tensor : after.tensors()) {
    CASE(tensor.name);
    const auto place = static_cast<std::size_t>(tensor.data - after.tensors()[0].data);
    CHECK(place % size_of(tensor.type) == 0);
  }
}

TEST_CASE("a constant alone changes nothing but itself") {
  stress::Changes options{.bias = 100};
  for (const std::string name : {"qwen2", "qwen3", "gpt2"}) {
    CASE(name);
    const test::TemporaryFolder folder;
    CHECK(write(model_in(folder, name), folder / "out", false, options).changed == 1);
  }
}

TEST_CASE("the same seed gives the same bytes, another one others") {
  const test::TemporaryFolder folder;
  const std::string model = model_in(folder, "mistral");
  stress::Changes other = strong();
  other.seed = 2;
  write(model, folder / "one");
  write(model, folder / "two");
  write(model, folder / "other", false, other);
  for (const std::string name : {"model.safetensors", "stress.json", "config.json"}) {
    CASE(name);
    CHECK_SAME(content(folder / ("one/" + name)), content(folder / ("two/" + name)));
  }
  CHECK(content(folder / "one/model.safetensors") != content(folder / "other/model.safetensors"));
}

TEST_CASE("only what stress wrote is replaced, and only with force") {
  const test::TemporaryFolder folder;
  const std::string model = model_in(folder, "llama-f32"), out = folder / "out";
  fs::create_directory(out);
  write(model, out);  // an empty folder is as good as none
  const std::string first = content(out + "/stress.json");
  const auto rejected = [&](const std::string& where, bool force) {
    const std::string message = test::message([&] { write(model, where, force); });
    CHECK(message == test::message([&] { stress::check_output({where, force, {model}}); }));
    return message;
  };
  CHECK(contains(rejected(out, false), "give --force to replace it"));
  CHECK_SAME(content(out + "/stress.json"), first);
  stress::Changes other = strong();
  other.seed = 5;
  write(model, out + "/", true, other);
  CHECK(contains(content(out + "/stress.json"), "\"seed\": 5"));

  test::put(out + "/mine", "");
  CHECK(contains(rejected(out, true), "holds 'mine', which stress did not write"));
  fs::create_directory(folder / "copy");
  fs::copy(model + "/model.safetensors", folder / "copy/model.safetensors");
  CHECK(contains(rejected(folder / "copy", true), "holds a model, which stress did not write"));
  CHECK(contains(rejected(folder / "none/out", true), "none' does not exist"));
  CHECK(contains(rejected(model + "/config.json", true), "in an input"));
  test::put(folder / "file", "");
  CHECK(contains(rejected(folder / "file", true), "is no folder"));
  for (const std::string& where : {model, model + "/out", model + "/../model", folder.path()})
    CHECK_AT(where, contains(rejected(where, true), "is, holds or lies in an input"));
  CHECK(folder.entries() == 4);  // and no temporary one
}

TEST_CASE("a model may not be replaced by what is made from it") {
  const test::TemporaryFolder folder;
  const std::string model = model_in(folder, "llama-f32");
  write(model, folder / "out");
  fs::create_directory_symlink(folder / "out", folder / "link");
  const std::string message = test::message([&] { write(folder / "out", folder / "link", true); });
  CHECK(contains(message, "an input"));
}

TEST_CASE("nothing remains of a model that cannot be written") {
  const test::TemporaryFolder folder;
  const std::string model = model_in(folder, "llama-f32");
  {
    const auto file = files::Safetensors::read(model + "/model.safetensors");
    std::vector<files::Tensor> tensors = file.tensors();
    std::vector<float> large(32 * 64, 3e38F);
    for (files::Tensor& tensor : tensors)
      if (tensor.name == "model.layers.0.self_attn.k_proj.weight")
        tensor.data = reinterpret_cast<const std::uint8_t*>(large.data());
    files::write_safetensors(model + "/model.safetensors", tensors, {}, true);
  }
  CHECK(contains(test::message([&] { write(model, folder / "out"); }),
                 "k_proj.weight: a value goes beyond F32"));
  CHECK(folder.entries() == 1);
}

TEST_CASE("formats that are not supported are named") {
  const test::TemporaryFolder folder;
  test::put(folder / "stories.bin", "x");
  CHECK(contains(test::message([&] { stress::check_model(folder / "stories.bin"); }),
                 "is a file; stress rewrites Hugging Face folders"));
  CHECK(contains(test::message([&] { stress::check_model(folder / "none"); }), "no such folder"));
  stress::check_model(test::reference("gpt2"));
}
