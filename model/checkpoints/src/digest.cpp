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

}  // namespace

std::string digest_of(const std::string& path) {
  std::error_code unknown;  // of a path that cannot be followed: opening it says why
  if (std::filesystem::is_directory(path, unknown)) {
    const Tensors tensors = Tensors::of_folder(path);
    files::Sha256 sum;
    for (const auto& [name, stored] : tensors.all()) sum.add(stored.data, stored.bytes);
    return sum.digest();
  }
  if (gguf::Gguf::is_gguf(path)) return digest_of_gguf(gguf::Gguf::map(path));
  const files::MappedFile file(path);
  files::Sha256 sum;
  sum.add(file.data(), file.size());
  return sum.digest();
}

}  // namespace axelram::checkpoints
