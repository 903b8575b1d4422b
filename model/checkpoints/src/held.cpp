#include <memory>
#include <string>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"
#include "halves.hpp"

namespace axelram::checkpoints {
namespace {

using Halves = std::vector<std::uint16_t>;

/// A row-major copy in F16.
Halves rounded(const Matrix& m, const std::string& path) {
  Halves halves(m.outputs * m.inputs);
  to_halves(m, 0, m.outputs, path + ": ", halves.data());
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
