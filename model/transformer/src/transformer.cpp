#include "axelram/transformer/transformer.hpp"

#include <string>

#include "axelram/files/errors.hpp"
#include "pass.hpp"
#include "projection.hpp"

namespace axelram::transformer {

void check(const Sequence& sequence, const checkpoints::Architecture& a, std::size_t before) {
  const std::size_t tokens = before + sequence.ids.size();
  if (sequence.ids.empty() || tokens > a.max_positions)
    throw files::InputError("a sequence of " + std::to_string(tokens) + " tokens" +
                            (sequence.ids.empty() && before != 0 ? " and no more" : "") +
                            "; the model takes 1.." + std::to_string(a.max_positions));
  for (std::size_t t = 0; t < sequence.ids.size(); ++t)
    if (sequence.ids[t] < 0 || static_cast<std::size_t>(sequence.ids[t]) >= a.vocabulary)
      throw files::InputError("sequence " + std::to_string(sequence.number) + ", token " +
                              std::to_string(before + t) + ": id " +
                              std::to_string(sequence.ids[t]) + "; the model's vocabulary has " +
                              std::to_string(a.vocabulary));
}

std::vector<float> Transformer::forward(std::span<const Sequence> sequences, const KvCache& cache,
                                        const Observer& observer, CacheEvents* events) const {
  RotaryTables tables(architecture());
  std::vector<Pass::Part> parts;
  for (const Sequence& sequence : sequences) {
    check(sequence, architecture());
    tables.extend(sequence.ids.size());
    parts.push_back({sequence});
  }
  Pass pass(checkpoint_, workers_, parts, cache, tables, observer);
  std::vector<float> hidden = pass.run();
  if (events != nullptr) *events += pass.events();
  return hidden;
}

void Transformer::logits(const float* hidden, std::size_t rows, float* logits) const {
  project(workers_, checkpoint_.head, {}, hidden, rows, logits);
}

}  // namespace axelram::transformer
