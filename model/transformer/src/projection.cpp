#include "projection.hpp"

#include <algorithm>

#include "axelram/transformer/product.hpp"

namespace axelram::transformer {
namespace {

constexpr std::size_t kTileRows = 512, kTileOutputs = 128;
/// Pieces of work for each thread, so that none waits long for another.
constexpr std::size_t kPiecesOfThread = 4;

struct Buffers {
  std::vector<float> weights, product;
};

/// y = x W^T + bias on one tile; y has a row of `stride` floats for each row of x.
void overwrite_tile(const Rows& x, const Rows& w, const float* bias, float* y, std::size_t stride) {
  multiply_transposed(x, w, {y, x.rows, w.rows, stride});
  if (bias == nullptr) return;
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t o = 0; o < w.rows; ++o) y[r * stride + o] += bias[o];
}

/// y += x W^T + bias on one tile. The product is complete before it is added.
void add_tile(const Rows& x, const Rows& w, const float* bias, std::vector<float>* product,
              float* y, std::size_t stride) {
  product->resize(kTileRows * kTileOutputs);
  overwrite_tile(x, w, bias, product->data(), w.rows);
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t o = 0; o < w.rows; ++o) y[r * stride + o] += (*product)[r * w.rows + o];
}

}  // namespace

void project(Workers& workers, const checkpoints::Matrix& weights, const std::vector<float>& bias,
             const float* x, std::size_t rows, float* y, Into into) {
  const std::size_t outputs = weights.outputs, inputs = weights.inputs;
  const std::size_t down = (rows + kTileRows - 1) / kTileRows;
  const std::size_t across = (outputs + kTileOutputs - 1) / kTileOutputs;
  // Tiles below each other in one piece share the conversion of their weights.
  const std::size_t height =
      std::clamp<std::size_t>(down * across / (kPiecesOfThread * workers.count()), 1, down);
  const std::size_t pieces = (down + height - 1) / height;
  std::vector<Buffers> buffers(workers.count());
  workers.run(pieces * across, [&](std::size_t worker, std::size_t piece) {
    const std::size_t output = piece / pieces * kTileOutputs;
    const std::size_t width = std::min(kTileOutputs, outputs - output);
    auto& [w, product] = buffers[worker];
    w.resize(kTileOutputs * inputs);
    weights.rows(output, width, w.data());
    const float* const added = bias.empty() ? nullptr : &bias[output];
    const std::size_t end = std::min(down, (piece % pieces + 1) * height);
    for (std::size_t tile = piece % pieces * height; tile < end; ++tile) {
      const std::size_t row = tile * kTileRows;
      const Rows part{x + row * inputs, std::min(kTileRows, rows - row), inputs, inputs};
      const Rows tile_weights{w.data(), width, inputs, inputs};
      float* const to = y + row * outputs + output;
      if (into == Into::add)
        add_tile(part, tile_weights, added, &product, to, outputs);
      else
        overwrite_tile(part, tile_weights, added, to, outputs);
    }
  });
}

}  // namespace axelram::transformer
