#include "axelram/files/result.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "axelram/files/messages.hpp"
#include "axelram/half.hpp"
#include "axelram/softmax.hpp"
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

std::uint64_t count_of(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) count *= extent;
  return count;
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

float Result::output_at(std::size_t at) const {
  return output == OutputFormat::fp16 ? static_cast<float>(half_to_double(half_outputs[at]))
                                      : float_outputs[at];
}

void Result::set_output(std::size_t at, std::uint32_t bits) {
  if (output == OutputFormat::fp16)
    half_outputs[at] = static_cast<std::uint16_t>(bits);
  else
    float_outputs[at] = std::bit_cast<float>(bits);
}

void allocate(Result* result) {
  for_each_tensor(*result, [](const TensorRow&, const Shape& shape, auto& values) {
    values.resize(count_of(shape));
  });
  for (auto* references : {&result->maxima, &result->weight_references})
    std::fill(references->begin(), references->end(), kNoReference);
}

std::string wrong_tensor(const Result& result) {
  std::string wrong;
  for_each_tensor(result, [&](const TensorRow& row, const Shape& shape, const auto& values) {
    if (wrong.empty() && values.size() != count_of(shape))
      wrong = std::string(row.name) + ": " + std::to_string(values.size()) +
              " values in the shape " + to_string(shape);
  });
  return wrong;
}

std::size_t row_bytes(const ResultShape& shape, const Axis& axis) {
  std::size_t bytes = 0;
  for (const TensorRow& row : result_tensor_rows()) {
    if (!row.present(shape) || row.axes.front() != &axis) continue;
    Shape inner = row.shape(shape);
    inner.erase(inner.begin());
    bytes += count_of(inner) * size_of(row.type);
  }
  return bytes;
}

std::size_t value_count(const Result& result) {
  std::size_t count = 0;
  for_each_tensor(
      result, [&](const TensorRow&, const Shape&, const auto& values) { count += values.size(); });
  return count;
}

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
