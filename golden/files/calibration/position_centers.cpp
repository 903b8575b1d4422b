#include "axelram/files/position_centers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace axelram::files {
namespace {

/// The elements of a tensor F32, all finite.
std::vector<float> finite_values(const std::string& path, const Tensor& tensor) {
  std::vector<float> values = tensor.values<float>();
  const auto wrong =
      std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
  if (wrong != values.end())
    throw InputError(path + ": tensor " + tensor.name + ": element " +
                     std::to_string(wrong - values.begin()) + " is NaN or infinity; it is finite");
  return values;
}

/// The only element of a tensor I32 [1], which lies in least..most.
std::int32_t one_number(const Safetensors& file, const char* name, int least, int most) {
  const Tensor& tensor = file.at(name, DataType::i32, 1);
  if (tensor.shape[0] != 1)
    throw InputError(file.origin() + ": tensor " + name + ": shape is " + to_string(tensor.shape) +
                     "; it must be [1]");
  const std::int32_t number = tensor.values<std::int32_t>()[0];
  if (number < least || number > most)
    throw InputError(file.origin() + ": tensor " + name + ": " + std::to_string(number) +
                     "; it must lie in " + std::to_string(least) + ".." + std::to_string(most));
  return number;
}

}  // namespace

PositionCenters read_position_centers(const std::string& path, int head_dim) {
  const Safetensors file = Safetensors::read(path);
  const Tensor& centers = file.at("centers", DataType::f32, 3);
  const Tensor& frequencies = file.at("frequencies", DataType::f32, 2);
  const auto d = static_cast<std::uint64_t>(head_dim);
  if (centers.shape[2] != d)
    throw InputError(path + ": tensor centers: shape is " + to_string(centers.shape) +
                     "; it must be [layers, heads, " + std::to_string(d) + "]");
  if (frequencies.shape != Shape{centers.shape[0], d / 2})
    throw InputError(path + ": tensor frequencies: shape is " + to_string(frequencies.shape) +
                     "; it must be " + to_string(Shape{centers.shape[0], d / 2}));
  return {centers.shape[0],
          centers.shape[1],
          centers.shape[2],
          finite_values(path, centers),
          finite_values(path, frequencies),
          one_number(file, "block", 1, PositionCenters::kMostBlock),
          one_number(file, "interleaved", 0, 1) == 1};
}

void write_position_centers(const std::string& path, const PositionCenters& all,
                            const Metadata& metadata, bool force) {
  const std::vector<std::int32_t> block = {all.block}, interleaved = {all.interleaved ? 1 : 0};
  write_safetensors(path,
                    {view("centers", DataType::f32, {all.layers, all.heads, all.d}, all.centers),
                     view("frequencies", DataType::f32, {all.layers, all.d / 2}, all.frequencies),
                     view("block", DataType::i32, {1}, block),
                     view("interleaved", DataType::i32, {1}, interleaved)},
                    metadata, force);
}

}  // namespace axelram::files
