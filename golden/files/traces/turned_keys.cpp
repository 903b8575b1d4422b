#include "axelram/files/turned_keys.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "axelram/files/errors.hpp"

namespace axelram::files {
namespace {

constexpr std::array<std::pair<const char*, float>, 3> kNeutral = {
    {{"cosines", 1.0F}, {"sines", 0.0F}, {"key_offset", 0.0F}}};

bool changes_keys(const Tensor& tensor, float neutral) {
  if (tensor.type != DataType::f32) return true;
  const std::vector<float> values = tensor.values<float>();
  return std::any_of(values.begin(), values.end(), [=](float x) { return x != neutral; });
}

}  // namespace

void check_turned_keys(const Safetensors& file, const std::string& advice) {
  const auto rope = file.metadata().find("rope");
  if (rope != file.metadata().end() && rope->second == "pre")
    throw InputError(file.origin() + ": its keys are before rotary embedding (metadata rope); " +
                     advice);
  for (const auto& [name, neutral] : kNeutral)
    if (const Tensor* const tensor = file.find(name);
        tensor != nullptr && changes_keys(*tensor, neutral))
      throw InputError(file.origin() + ": tensor " + name +
                       ": it turns keys before rotary embedding; " + advice);
}

}  // namespace axelram::files
