#include "axelram/calibration/keys.hpp"

#include <algorithm>
#include <string>

#include "axelram/files/errors.hpp"
#include "axelram/half.hpp"
#include "axelram/transformer/rotary_table.hpp"
#include "run_windows.hpp"

namespace axelram::calibration {
namespace {

void check_index(const char* what, std::size_t index, std::size_t count) {
  if (index >= count)
    throw files::InputError(std::string(what) + " " + std::to_string(index) + ": the model has " +
                            std::to_string(count) + ", counted from 0; give 0.." +
                            std::to_string(count - 1));
}

/// A head's columns of rows of attention, as elements.
class HeadColumns {
 public:
  HeadColumns(std::size_t heads, std::size_t d, ElementFormat format)
      : heads_(heads), d_(d), format_(format) {}

  /// Rows first .. first + count - 1, `next` rows apart in `out`.
  void copy(const float* rows, std::size_t first, std::size_t count, std::size_t head,
            std::uint16_t* out, std::size_t next = 1) const {
    for (std::size_t t = 0; t < count; ++t)
      for (std::size_t i = 0; i < d_; ++i)
        out[t * next * d_ + i] =
            double_to_element(rows[((first + t) * heads_ + head) * d_ + i], format_);
  }

 private:
  std::size_t heads_, d_;
  ElementFormat format_;
};

/// Cosines and sines of the tokens of all windows, and the offset of a head's keys.
files::TraceRotation rotation_of(const Source& source, std::size_t layer, std::size_t head) {
  const checkpoints::Architecture& a = source.checkpoint.architecture;
  std::size_t longest = 0;
  for (const transformer::Sequence& window : source.windows)
    longest = std::max(longest, window.ids.size());
  files::TraceRotation rotation;
  rotation.interleaved = a.positions == checkpoints::Positions::rotary_interleaved;
  const transformer::RotaryTable table(a.has_local_rotary(layer) ? a.local_rotary : a.rotary,
                                       rotation.interleaved, longest);
  const std::size_t pairs = a.head_dim / 2;
  for (const transformer::Sequence& window : source.windows) {
    if (table.pairs() == 0) {  // the angle 0
      rotation.cosines.insert(rotation.cosines.end(), window.ids.size() * pairs, 1);
      rotation.sines.insert(rotation.sines.end(), window.ids.size() * pairs, 0);
      continue;
    }
    const auto end = static_cast<std::ptrdiff_t>(window.ids.size() * pairs);
    rotation.cosines.insert(rotation.cosines.end(), table.cosines().begin(),
                            table.cosines().begin() + end);
    rotation.sines.insert(rotation.sines.end(), table.sines().begin(), table.sines().begin() + end);
  }
  const std::vector<float>& offset = source.checkpoint.layers[layer].key_offset;
  if (!offset.empty()) {
    const auto first = offset.begin() + static_cast<std::ptrdiff_t>(head * a.head_dim);
    rotation.key_offset.assign(first, first + static_cast<std::ptrdiff_t>(a.head_dim));
  }
  return rotation;
}

}  // namespace

void check_head_dim(const checkpoints::Architecture& architecture) {
  const std::size_t d = architecture.head_dim;
  if (d != 32 && d != 64 && d != 128 && d != 256)
    throw files::InputError("the model's heads have " + std::to_string(d) +
                            " elements; the macro takes 32, 64, 128 or 256");
}

files::Trace capture(const Source& source, const CaptureRequest& request) {
  const checkpoints::Architecture& a = source.checkpoint.architecture;
  const std::size_t layer = request.layer, head = request.head;
  check_index("layer", layer, a.layers);
  check_index("KV head", head, a.kv_heads);
  const std::size_t tokens = token_count(source), d = a.head_dim, group = a.group();
  const std::size_t kept = request.queries.value_or(tokens), skipped = tokens - kept;
  if (kept > tokens)
    throw files::InputError("the last " + std::to_string(kept) + " queries of " +
                            std::to_string(tokens) + " tokens; take as many at most");

  // Later layers are not needed.
  checkpoints::Checkpoint start = source.checkpoint;
  start.layers.resize(layer + 1);
  start.architecture.layers = layer + 1;

  files::Trace trace;
  trace.element_format = source.element_format;
  trace.head_dim = static_cast<int>(d);
  trace.keys.resize(tokens * d);
  trace.queries.resize(group * kept * d);
  trace.values.emplace(tokens * d);
  trace.query_tokens.emplace(group * kept);
  if (request.gates) trace.gates.emplace(tokens, transformer::kOpenGate);
  // Row of the query of a query head of the group that belongs to one of the kept tokens.
  const auto row_of = [&](std::size_t token, std::size_t of_group) {
    return request.by_token ? token * group + of_group : of_group * kept + token;
  };
  for (std::size_t of_group = 0; of_group < group; ++of_group)
    for (std::size_t token = 0; token < kept; ++token)
      (*trace.query_tokens)[row_of(token, of_group)] = static_cast<std::int32_t>(skipped + token);
  if (request.before_rotary) trace.rotation = rotation_of(source, layer, head);

  const HeadColumns keys(a.kv_heads, d, source.element_format),
      queries(a.heads, d, source.element_format);
  const Source of_start{start,          source.cache,          source.workers,
                        source.windows, source.element_format, source.progress};
  run_windows(of_start, [&](const transformer::AttentionInputs& inputs, std::size_t row) {
    if (inputs.layer != layer) return;
    const bool before = request.before_rotary && inputs.keys_before != nullptr;
    const float* const taken = before ? inputs.keys_before : inputs.keys;
    check_fits(of_start, inputs, row, {"key", taken, a.kv_heads});
    check_fits(of_start, inputs, row, {"query", inputs.queries, a.heads});
    keys.copy(taken, 0, inputs.tokens, head, &trace.keys[row * d]);
    keys.copy(inputs.values, 0, inputs.tokens, head, &(*trace.values)[row * d]);
    for (std::size_t t = 0; request.gates && inputs.gates != nullptr && t < inputs.tokens; ++t)
      (*trace.gates)[row + t] = inputs.gates[t * a.kv_heads + head];
    const std::size_t first = std::min(inputs.tokens, skipped - std::min(skipped, row));
    for (std::size_t g = 0; first < inputs.tokens && g < group; ++g)
      queries.copy(inputs.queries, first, inputs.tokens - first, head * group + g,
                   &trace.queries[row_of(row + first - skipped, g) * d],
                   request.by_token ? group : 1);
  });
  return trace;
}

}  // namespace axelram::calibration
