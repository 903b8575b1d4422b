#include <cmath>
#include <string>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/half.hpp"

namespace axelram::checkpoints {
namespace {

using Halves = std::vector<std::uint16_t>;

/// A row-major copy in F16, each value rounded to the nearest.
Halves rounded(const Matrix& m, const std::string& path) {
  constexpr std::size_t kRows = 64;
  Halves halves(m.outputs * m.inputs);
  std::vector<float> rows(kRows * m.inputs);
  for (std::size_t first = 0; first < m.outputs; first += kRows) {
    const std::size_t count = std::min(kRows, m.outputs - first);
    m.rows(first, count, rows.data());
    for (std::size_t i = 0; i < count * m.inputs; ++i) {
      if (!(std::abs(rows[i]) < 65520.0F))  // would round to infinity
        throw files::InputError(path + ": a weight is " + std::to_string(rows[i]) +
                                ", which F16 cannot hold; use the weights as they are stored");
      halves[first * m.inputs + i] = double_to_half(static_cast<double>(rows[i]));
    }
  }
  return halves;
}

}  // namespace

void hold_as_f16(Checkpoint* checkpoint) {
  const std::uint8_t* const embedding = checkpoint->embedding.data;
  const auto hold = [&](Matrix& m) {
    if (m.data == nullptr || (m.type == weights::Type::f16 && m.paired_head == 0)) return;
    const auto halves = std::make_shared<const Halves>(rounded(m, checkpoint->path));
    checkpoint->files.push_back(halves);
    m = {reinterpret_cast<const std::uint8_t*>(halves->data()),
         weights::Type::f16,
         m.outputs,
         m.inputs,
         m.inputs,
         false};
  };
  const bool tied = checkpoint->head.data == embedding;
  hold(checkpoint->embedding);
  if (tied)
    checkpoint->head = checkpoint->embedding;
  else
    hold(checkpoint->head);
  hold(checkpoint->positions);
  for (Layer& layer : checkpoint->layers)
    for (Matrix* const m :
         {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
      hold(*m);
}

}  // namespace axelram::checkpoints
