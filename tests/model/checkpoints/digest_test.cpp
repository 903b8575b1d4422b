#include <map>

#include "axelram/files/sha256.hpp"
#include "axelram/gguf/gguf.hpp"
#include "checkpoints/support.hpp"

using axelram::checkpoints::digest_of;
using axelram::checkpoints::identity_of;
using axelram::files::sha256;
using test::CheckpointCopy;

namespace {

/// The bytes of tensors one after another, by ascending name.
template <class Tensors>
std::string in_order_of_names(const Tensors& tensors) {
  std::map<std::string, std::string> sorted;
  for (const auto& tensor : tensors)
    sorted[tensor.name] = {reinterpret_cast<const char*>(tensor.data), tensor.bytes};
  std::string bytes;
  for (const auto& [name, data] : sorted) bytes += data;
  return bytes;
}

}  // namespace

TEST_CASE("the digest of a folder is that of its tensors in order of names") {
  const CheckpointCopy copy("llama-f32");
  const auto file = axelram::files::Safetensors::read(copy / "model.safetensors");
  const std::string right = sha256(in_order_of_names(file.tensors()));
  CHECK(digest_of(copy.path()) == right);
  // Neither the order in the file nor the configuration changes it; an element does.
  copy.edit([](auto& tensors) { std::reverse(tensors.begin(), tensors.end()); });
  copy.change({{"rope_theta", 1000.0}});
  CHECK(digest_of(copy.path()) == right);
  std::string changed = test::content(copy / "model.safetensors");
  changed.back() = static_cast<char>(changed.back() ^ 1);
  test::put(copy / "model.safetensors", changed);
  CHECK(digest_of(copy.path()) != right);
  CHECK(test::message([&] { digest_of(copy / "none"); }) != "");
}

TEST_CASE("the digest of shards is that of the whole") {
  const CheckpointCopy copy("llama-bf16-tied");
  std::vector<axelram::files::Safetensors> shards;
  std::vector<axelram::files::Tensor> all;
  for (const auto& entry : std::filesystem::directory_iterator(copy.path()))
    if (entry.path().extension() == ".safetensors")
      shards.push_back(axelram::files::Safetensors::read(entry.path().string()));
  CHECK(shards.size() > 1);
  for (const auto& shard : shards)
    all.insert(all.end(), shard.tensors().begin(), shard.tensors().end());
  CHECK(digest_of(copy.path()) == sha256(in_order_of_names(all)));
}

TEST_CASE("the digest of a GGUF file is that of its tensors, of another file that of its bytes") {
  const std::string gguf =
      (test::project() / "tests/model/checkpoints/reference/llama.gguf").string();
  const auto file = axelram::gguf::Gguf::map(gguf);
  CHECK(digest_of(gguf) == sha256(in_order_of_names(file.tensors())));
  const test::TemporaryFolder folder;
  test::put(folder / "weights.bin", "abc");
  CHECK(digest_of(folder / "weights.bin") == sha256("abc"));
}

TEST_CASE("the identity of a folder is that of its tensors with their names, and of config.json") {
  const CheckpointCopy copy("llama-f32");
  const auto file = axelram::files::Safetensors::read(copy / "model.safetensors");
  std::map<std::string, std::string> sorted;
  for (const auto& tensor : file.tensors()) {
    std::string shape;
    for (const auto extent : tensor.shape)
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    std::string& bytes = sorted[tensor.name];
    for (const std::string& text : {tensor.name, std::string("F32"), shape}) bytes += text + '\0';
    bytes.append(reinterpret_cast<const char*>(tensor.data), tensor.bytes);
  }
  std::string all;
  for (const auto& [name, bytes] : sorted) all += bytes;
  const std::string config = test::content(copy / "config.json");
  const std::string right = sha256(all + config);
  CHECK(identity_of(copy.path()) == right);
  // The order in the file does not change it. A name, a shape and the configuration do.
  copy.edit([](auto& tensors) { std::reverse(tensors.begin(), tensors.end()); });
  CHECK(identity_of(copy.path()) == right);
  test::put(copy / "config.json", config + "\n");
  CHECK(identity_of(copy.path()) == sha256(all + config + "\n"));
  test::put(copy / "config.json", config);
  copy.edit([](auto& tensors) { tensors.front().name += "x"; });
  CHECK(identity_of(copy.path()) != right);
  std::filesystem::remove(copy / "config.json");
  CHECK(test::contains(test::message([&] { identity_of(copy.path()); }), "config.json"));
  CHECK(test::message([&] { identity_of(copy / "none"); }) != "");
}

TEST_CASE("the identity of a file is that of its bytes") {
  const std::string gguf =
      (test::project() / "tests/model/checkpoints/reference/llama.gguf").string();
  CHECK_SAME(identity_of(gguf), sha256(test::content(gguf)));
  const test::TemporaryFolder folder;
  test::put(folder / "weights.bin", "abc");
  CHECK(identity_of(folder / "weights.bin") == sha256("abc"));
}
