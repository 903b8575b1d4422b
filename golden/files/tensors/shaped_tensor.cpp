#include "shaped_tensor.hpp"

namespace axelram::files {

void fail_at_tensor(const Safetensors& file, const std::string& name, const std::string& what) {
  throw InputError(file.origin() + ": tensor " + name + ": " + what);
}

const Tensor& shaped_tensor(const Safetensors& file, const std::string& name, DataType type,
                            const Shape& shape) {
  const Tensor& tensor = file.at(name, type, shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != kAnyExtent && tensor.shape[i] != shape[i])
      fail_at_tensor(file, name,
                     "shape is " + to_string(tensor.shape) + "; axis " + std::to_string(i) +
                         " must have " + std::to_string(shape[i]));
  return tensor;
}

}  // namespace axelram::files
