#include "axelram/files/balance.hpp"

namespace axelram::files {

Balance read_balance(const std::string& path) {
  const Safetensors file = Safetensors::read(path);
  const Tensor& tensor = file.at("lambdas", DataType::f32, 3);
  Balance balance{tensor.shape[0], tensor.shape[1], tensor.shape[2], tensor.values<float>()};
  for (std::size_t i = 0; i < balance.lambdas.size(); ++i) {
    const float lambda = balance.lambdas[i];
    if (lambda >= Balance::kLeast && lambda <= Balance::kMost) continue;
    const std::size_t row = i / balance.pairs;
    throw InputError(path + ": tensor lambdas, layer " + std::to_string(row / balance.heads) +
                     ", head " + std::to_string(row % balance.heads) + ", pair " +
                     std::to_string(i % balance.pairs) + ": " + std::to_string(lambda) +
                     "; it must lie in 1e-6..1e6");
  }
  return balance;
}

void write_balance(const std::string& path, const Balance& balance, const Metadata& metadata,
                   bool force) {
  write_safetensors(path,
                    {view("lambdas", DataType::f32, {balance.layers, balance.heads, balance.pairs},
                          balance.lambdas)},
                    metadata, force);
}

}  // namespace axelram::files
