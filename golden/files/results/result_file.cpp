#include <algorithm>
#include <stdexcept>

#include "axelram/files/messages.hpp"
#include "axelram/files/result.hpp"
#include "metadata.hpp"

namespace axelram::files {
namespace {

/// Sets index_bits, or the bits of a split, for which `count` gives `words`. The least bits, if
/// there are none; the shape is then reported as wrong.
template <class Count>
void set_bits(Parameters* p, bool split, std::uint64_t words, const Count& count) {
  if (!split) {
    for (p->index_bits = 4; p->index_bits > 2; --p->index_bits)
      if (words == count()) return;
    return;
  }
  for (p->split_high = 4; p->split_high > 1; --p->split_high)
    for (p->split_low = p->split_high; p->split_low > 0; --p->split_low)
      if (words == count()) return;
  p->split_low = 1;
}

/// Shape by the first tensors, which the others must match.
Result shaped_from(const Safetensors& file) {
  const Tensor& indices = file.at("indices", DataType::u8, 2);
  Result result;
  Parameters& p = result.parameters;
  if (file.find("levels") != nullptr) p.kind = QuantizerKind::trellis;
  if (file.find("residual_signs") != nullptr) p.kind = QuantizerKind::prod;
  const Tensor* const norms = file.find("norms");
  const bool split = norms != nullptr && norms->shape.size() == 2;
  result.tokens = indices.shape[0];
  result.queries = file.at("rotated_queries", DataType::i32, 2).shape[0];
  for (p.head_dim = 256; p.head_dim > 32; p.head_dim /= 2)
    if (indices.shape[1] == result.head_dim()) break;
  const char* const words = result.trellis() ? "reconstructions" : "thresholds";
  set_bits(&p, split, file.at(words, DataType::i32, 2).shape[1],
           [&] { return result.trellis() ? result.level_count() : result.boundary_count(); });
  if (file.find("correlations") != nullptr) p.scale = ScaleKind::unbiased;
  if (file.find("exact") != nullptr) {
    p.exact_first = 1;
    result.copies = file.at("exact_exponents", DataType::i32, 1).shape[0];
  }
  if (file.find("codewords")) {
    result.codeword_bytes = file.at("codewords", DataType::u8, 2).shape[1];
    if (result.codeword_bytes == 0)
      throw InputError(file.origin() + ": tensor codewords: no bytes in a row; leave it out");
  }
  if (file.find("value_indices") == nullptr) return result;
  const Tensor* const outputs = file.find("outputs");
  const bool floats = outputs != nullptr && outputs->type == DataType::f32;
  result.output = floats ? OutputFormat::fp32 : OutputFormat::fp16;
  if (result.prod() || result.split())
    throw InputError(file.origin() +
                     ": tensor value_indices: attention needs keys of one part; leave it out");
  if (file.find("refused") != nullptr)
    result.commands = file.at("refused", DataType::u8, 1).shape[0];
  return result;
}

std::size_t tokens_with_copies(const Result& result) {
  return static_cast<std::size_t>(std::count(result.exact.begin(), result.exact.end(), 1));
}

void check_copies(const Result& result, const std::string& origin) {
  for (std::size_t t = 0; t < result.exact.size(); ++t)
    if (result.exact[t] > 1)
      throw InputError(origin + ": tensor exact, row " + std::to_string(t) + ": " +
                       std::to_string(result.exact[t]) + "; it must be 0 or 1");
  if (const std::size_t ones = tokens_with_copies(result); ones != result.copies)
    throw InputError(origin + ": tensor exact_keys: " + std::to_string(result.copies) +
                     " copies; tensor exact has " + std::to_string(ones) +
                     " ones, and each stands for one copy");
}

}  // namespace

void write_result(const std::string& path, const Result& result, bool force) {
  const std::size_t levels = result.level_count();
  if (result.centroids.size() != levels || result.boundaries.size() != result.boundary_count() ||
      result.reconstruction_words.size() != (result.trellis() || result.prod() ? levels : 0))
    throw std::logic_error("a result holds a centroid for each level, and its other words");
  if (tokens_with_copies(result) != result.copies)
    throw std::logic_error("a result holds one copy for each 1 of `exact`");
  std::vector<Tensor> tensors;
  for_each_tensor(result, [&](const TensorRow& row, const Shape& shape, const auto& values) {
    tensors.push_back(view(row.name, row.type, shape, values));
  });
  write_safetensors(path, tensors, metadata_of(result), force);
}

Result result_from(const Safetensors& file) {
  Result result = shaped_from(file);
  std::size_t position = 0;
  for_each_tensor(result, [&](const TensorRow& row, const Shape& shape, auto& values) {
    const Tensor& tensor = file.at(row.name, row.type, shape.size());
    const std::string where = file.origin() + ": tensor " + row.name + ": ";
    if (tensor.shape != shape)
      throw InputError(where + "shape is " + to_string(tensor.shape) +
                       "; beside the other tensors it must be " + to_string(shape));
    if (&tensor != &file.tensors()[position++])
      throw InputError(where + "it must be number " + std::to_string(position) +
                       " of the file's tensors");
    values = tensor.values<typename std::decay_t<decltype(values)>::value_type>();
  });
  if (position != file.tensors().size())
    throw InputError(file.origin() + ": tensor " + printable(file.tensors()[position].name) +
                     ": not part of a result; leave it out");
  check_copies(result, file.origin());
  read_metadata(file, &result);
  return result;
}

Result read_result(const std::string& path) { return result_from(Safetensors::read(path)); }

}  // namespace axelram::files
