#include "axelram/files/result.hpp"

#include <algorithm>
#include <bit>

#include "axelram/half.hpp"
#include "axelram/softmax.hpp"

namespace axelram::files {
namespace {

std::uint64_t count_of(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) count *= extent;
  return count;
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

}  // namespace axelram::files
