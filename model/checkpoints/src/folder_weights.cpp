#include "folder_weights.hpp"

#include <algorithm>

#include "axelram/files/atomic_file.hpp"
#include "gguf_names.hpp"
#include "halves.hpp"

namespace axelram::checkpoints {
namespace {

/// A matrix that is [inputs, outputs] in the directory; the file has its rows, which only together
/// have a row of the directory.
void write_turned(const Matrix& matrix, const std::string& place, files::AtomicFile* file) {
  const std::size_t outputs = matrix.outputs, inputs = matrix.inputs;
  std::vector<std::uint16_t> row(inputs), turned(outputs * inputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    to_halves(matrix, o, 1, place, row.data());
    for (std::size_t i = 0; i < inputs; ++i) turned[i * outputs + o] = row[i];
  }
  file->write(turned.data(), 2 * turned.size());
}

void write_rows(const Matrix& matrix, const std::string& place, files::AtomicFile* file) {
  constexpr std::size_t kTile = 256;
  std::vector<std::uint16_t> rows(std::min(kTile, matrix.outputs) * matrix.inputs);
  for (std::size_t first = 0; first < matrix.outputs; first += kTile) {
    const std::size_t count = std::min(kTile, matrix.outputs - first);
    to_halves(matrix, first, count, place, rows.data());
    file->write(rows.data(), 2 * count * matrix.inputs);
  }
}

void write_one(const Stored& stored, files::AtomicFile* file) {
  if (stored.shape.size() == 1) {
    const std::vector<float> values = vector_of(stored, stored.shape[0]);
    file->write(values.data(), 4 * values.size());
    return;
  }
  const Matrix matrix = matrix_of(stored, stored.shape[0], stored.shape[1], false);
  if (stored.stored_by_output)
    write_turned(matrix, stored.place, file);
  else
    write_rows(matrix, stored.place, file);
}

/// Names of GPT-2 without prefix belong to the class that has no head.
std::string full_name(const std::string& family, const std::string& name) {
  return (family == "gpt2" && name != "lm_head.weight" ? "transformer." : "") + name;
}

}  // namespace

std::vector<FolderTensor> folder_tensors(const std::string& family, const Tensors& tensors) {
  std::vector<FolderTensor> all;
  for (const auto& [name, stored] : tensors.all()) {
    if (!tensors.is_used(name) || name == kRotaryFactors) continue;
    const bool matrix = stored.shape.size() == 2;
    files::Tensor tensor{full_name(family, name),
                         matrix ? files::DataType::f16 : files::DataType::f32, stored.shape};
    if (matrix && stored.stored_by_output) std::swap(tensor.shape[0], tensor.shape[1]);
    tensor.bytes = size_of(tensor.type);
    for (const std::uint64_t extent : tensor.shape) tensor.bytes *= extent;
    all.push_back({std::move(tensor), &stored});
  }
  std::stable_sort(all.begin(), all.end(), [](const FolderTensor& a, const FolderTensor& b) {
    return size_of(a.tensor.type) > size_of(b.tensor.type);
  });
  return all;
}

void write_folder_tensors(const std::string& path, const std::vector<FolderTensor>& tensors,
                          const std::function<void(std::size_t)>& told) {
  std::vector<files::Tensor> header;
  for (const FolderTensor& one : tensors) header.push_back(one.tensor);
  files::AtomicFile file(path, false);
  // transformers asks which library wrote the file.
  file.write(files::safetensors_header(header, {{"format", "pt"}}));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    write_one(*tensors[i].stored, &file);
    if (told) told(i + 1);
  }
  file.commit();
}

}  // namespace axelram::checkpoints
