#include "config_tensors.hpp"

#include <cstring>

#include "axelram/files/messages.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/half.hpp"

namespace axelram::files {
namespace {

/// One row of a [layers, heads, d] tensor.
template <class T>
std::vector<T> row_of(const Safetensors& file, const char* name, DataType type, int d, int layer,
                      int head) {
  const Tensor& tensor = file.at(name, type, 3);
  const std::string where = file.origin() + ": tensor " + name + ": ";
  const auto width = static_cast<std::uint64_t>(d);
  if (tensor.shape[2] != width)
    throw InputError(where + "shape is " + to_string(tensor.shape) +
                     "; it must be [layers, heads, " + std::to_string(d) + "]");
  const auto check = [&where](const char* what, int index, std::uint64_t count) {
    if (static_cast<std::uint64_t>(index) >= count)
      throw InputError(where + "holds " + std::to_string(count) + " " + what + "s; " + what + " " +
                       std::to_string(index) + " of the configuration (from 0) is not among them");
  };
  check("layer", layer, tensor.shape[0]);
  check("head", head, tensor.shape[1]);
  const std::uint64_t row =
      static_cast<std::uint64_t>(layer) * tensor.shape[1] + static_cast<std::uint64_t>(head);
  std::vector<T> values(width);
  std::memcpy(values.data(), tensor.data + row * width * sizeof(T), width * sizeof(T));
  return values;
}

std::string place(int layer, int head, std::size_t element) {
  return "layer " + std::to_string(layer) + ", head " + std::to_string(head) + ", element " +
         std::to_string(element);
}

}  // namespace

std::vector<std::int8_t> load_signs(const std::string& path, const Parameters& parameters,
                                    int layer, int head) {
  const Safetensors file = Safetensors::read(path);
  auto signs = row_of<std::int8_t>(file, "signs", DataType::i8, parameters.head_dim, layer, head);
  for (std::size_t i = 0; i < signs.size(); ++i)
    if (signs[i] != 1 && signs[i] != -1)
      throw InputError(file.origin() + ": tensor signs, " + place(layer, head, i) + ": " +
                       std::to_string(signs[i]) + "; signs are -1 or 1");
  return signs;
}

std::vector<std::uint16_t> load_center(const std::string& path, const Parameters& parameters,
                                       int layer, int head) {
  const Safetensors file = Safetensors::read(path);
  const ElementFormat format = parameters.element_format;
  auto center = row_of<std::uint16_t>(
      file, "center", format == ElementFormat::fp16 ? DataType::f16 : DataType::bf16,
      parameters.head_dim, layer, head);
  for (std::size_t i = 0; i < center.size(); ++i)
    if (!is_finite(center[i], format))
      throw InputError(file.origin() + ": tensor center, " + place(layer, head, i) +
                       ": NaN or infinity; a center is finite");
  return center;
}

}  // namespace axelram::files
