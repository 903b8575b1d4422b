#include <algorithm>
#include <filesystem>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/files/mapped_file.hpp"
#include "axelram/files/sha256.hpp"
#include "axelram/gguf/gguf.hpp"
#include "tensors.hpp"

namespace axelram::checkpoints {
namespace {

std::string digest_of_gguf(const gguf::Gguf& file) {
  std::vector<const gguf::Tensor*> tensors;
  for (const gguf::Tensor& tensor : file.tensors()) tensors.push_back(&tensor);
  std::sort(tensors.begin(), tensors.end(),
            [](const auto* a, const auto* b) { return a->name < b->name; });
  files::Sha256 sum;
  for (const gguf::Tensor* const tensor : tensors) sum.add(tensor->data, tensor->bytes);
  return sum.digest();
}

std::string digest_of_bytes(const std::string& path) {
  const files::MappedFile file(path);
  files::Sha256 sum;
  sum.add(file.data(), file.size());
  return sum.digest();
}

/// Name, type, shape and data, each but the last with a zero byte behind it.
void add_tensor(const std::string& name, const Stored& stored, files::Sha256* sum) {
  std::string head = name + '\0' + stored.type_name + '\0';
  for (std::size_t i = 0; i < stored.shape.size(); ++i)
    head += (i == 0 ? "" : ",") + std::to_string(stored.shape[i]);
  head += '\0';
  sum->add(reinterpret_cast<const std::uint8_t*>(head.data()), head.size());
  sum->add(stored.data, stored.bytes);
}

bool is_folder(const std::string& path) {
  std::error_code unknown;  // of a path that cannot be followed: opening it says why
  return std::filesystem::is_directory(path, unknown);
}

}  // namespace

std::string digest_of(const std::string& path) {
  if (is_folder(path)) {
    const Tensors tensors = Tensors::of_folder(path);
    files::Sha256 sum;
    for (const auto& [name, stored] : tensors.all()) sum.add(stored.data, stored.bytes);
    return sum.digest();
  }
  if (gguf::Gguf::is_gguf(path)) return digest_of_gguf(gguf::Gguf::map(path));
  return digest_of_bytes(path);
}

std::string identity_of(const std::string& path) {
  if (!is_folder(path)) return digest_of_bytes(path);
  const Tensors tensors = Tensors::of_folder(path);
  const files::MappedFile config(path + "/config.json");
  files::Sha256 sum;
  for (const auto& [name, stored] : tensors.all()) add_tensor(name, stored, &sum);
  sum.add(config.data(), config.size());
  return sum.digest();
}

}  // namespace axelram::checkpoints
