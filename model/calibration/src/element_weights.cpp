#include <cmath>
#include <string>

#include "axelram/calibration/tiers.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/safetensors.hpp"

namespace axelram::calibration {
namespace {

std::vector<float> weights_in(const files::Safetensors& file, const char* name,
                              const TierRows& rows) {
  const files::Tensor& tensor = file.at(name, files::DataType::f32, 4);
  const files::Shape right = {rows.layers, rows.rows, rows.heads, rows.d};
  const std::string where = file.origin() + ": tensor " + name + ": ";
  if (tensor.shape != right)
    throw files::InputError(where + "shape is " + files::to_string(tensor.shape) + "; it must be " +
                            files::to_string(right) +
                            ": layers, tokens of all windows, KV heads, channels");
  std::vector<float> values = tensor.values<float>();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= 0) || !std::isfinite(values[i])) {
      const std::size_t row = i / rows.d, token = row / rows.heads;
      throw files::InputError(
          file.origin() + ": tensor " + name + ", layer " + std::to_string(token / rows.rows) +
          ", token " + std::to_string(token % rows.rows) + ", head " +
          std::to_string(row % rows.heads) + ", channel " + std::to_string(i % rows.d) + ": " +
          std::to_string(values[i]) + "; a weight is finite and not negative");
    }
  return values;
}

}  // namespace

ElementWeights read_element_weights(const std::string& path, const TierRows& rows) {
  const files::Safetensors file = files::Safetensors::map(path);
  return {weights_in(file, "keys", rows), weights_in(file, "values", rows)};
}

}  // namespace axelram::calibration
