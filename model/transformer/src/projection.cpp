#include "projection.hpp"

#include <algorithm>

#include "axelram/transformer/product.hpp"

namespace axelram::transformer {
namespace {

constexpr std::size_t kTileRows = 512, kTileOutputs = 128;

struct Buffers {
  std::vector<float> weights, product;
};

}  // namespace

void project(Workers& workers, const checkpoints::Matrix& weights, const std::vector<float>& bias,
             const float* x, std::size_t rows, float* y, Into into) {
  const std::size_t outputs = weights.outputs, inputs = weights.inputs;
  const std::size_t down = (rows + kTileRows - 1) / kTileRows;
  const std::size_t across = (outputs + kTileOutputs - 1) / kTileOutputs;
  std::vector<Buffers> buffers(workers.count());
  workers.run(down * across, [&](std::size_t worker, std::size_t tile) {
    const std::size_t output = tile / down * kTileOutputs, row = tile % down * kTileRows;
    const std::size_t width = std::min(kTileOutputs, outputs - output);
    const std::size_t height = std::min(kTileRows, rows - row);
    auto& [w, product] = buffers[worker];
    w.resize(kTileOutputs * inputs);
    product.resize(kTileRows * kTileOutputs);
    weights.rows(output, width, w.data());
    multiply_transposed({x + row * inputs, height, inputs, inputs},
                        {w.data(), width, inputs, inputs}, {product.data(), height, width, width});
    for (std::size_t r = 0; r < height; ++r) {
      const float* const from = product.data() + r * width;
      float* const to = y + (row + r) * outputs + output;
      for (std::size_t o = 0; o < width; ++o) {
        const float value = from[o] + (bias.empty() ? 0.0F : bias[output + o]);
        to[o] = into == Into::add ? to[o] + value : value;
      }
    }
  });
}

}  // namespace axelram::transformer
