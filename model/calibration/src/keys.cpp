#include "axelram/calibration/keys.hpp"

#include <algorithm>
#include <string>

#include "axelram/files/errors.hpp"
#include "axelram/half.hpp"
#include "run_windows.hpp"

namespace axelram::calibration {
namespace {

void check_index(const char* what, std::size_t index, std::size_t count) {
  if (index >= count)
    throw files::InputError(std::string(what) + " " + std::to_string(index) + ": the model has " +
                            std::to_string(count) + ", counted from 0; give 0.." +
                            std::to_string(count - 1));
}

/// A head's columns of `rows`, from the first-th on, as elements.
void append(const float* rows, std::size_t first, std::size_t count, std::size_t width,
            std::size_t head, std::size_t d, ElementFormat format, std::uint16_t* out) {
  for (std::size_t t = 0; t < count; ++t)
    for (std::size_t i = 0; i < d; ++i)
      *out++ = double_to_element(rows[(first + t) * width + head * d + i], format);
}

}  // namespace

void check_head_dim(const checkpoints::Architecture& architecture) {
  const std::size_t d = architecture.head_dim;
  if (d != 32 && d != 64 && d != 128 && d != 256)
    throw files::InputError("the model's heads have " + std::to_string(d) +
                            " elements; the macro takes 32, 64, 128 or 256");
}

files::Trace capture(const Source& source, std::size_t layer, std::size_t head,
                     std::optional<std::size_t> queries) {
  const checkpoints::Architecture& a = source.checkpoint.architecture;
  check_index("layer", layer, a.layers);
  check_index("KV head", head, a.kv_heads);
  const std::size_t tokens = token_count(source), d = a.head_dim;
  const std::size_t kept = queries.value_or(tokens), skipped = tokens - kept;
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
  trace.queries.resize(a.group() * kept * d);
  trace.values.emplace(tokens * d);
  const Source of_start{start,          source.cache,          source.workers,
                        source.windows, source.element_format, source.progress};
  run_windows(of_start, [&](const transformer::AttentionInputs& inputs, std::size_t row) {
    if (inputs.layer != layer) return;
    check_fits(of_start, inputs, row, {"query", inputs.queries, a.heads});
    append(inputs.keys, 0, inputs.tokens, a.kv_heads * d, head, d, source.element_format,
           trace.keys.data() + row * d);
    append(inputs.values, 0, inputs.tokens, a.kv_heads * d, head, d, source.element_format,
           trace.values->data() + row * d);
    const std::size_t first = std::min(inputs.tokens, skipped - std::min(skipped, row));
    for (std::size_t g = 0; first < inputs.tokens && g < a.group(); ++g)
      append(inputs.queries, first, inputs.tokens - first, a.heads * d, head * a.group() + g, d,
             source.element_format, trace.queries.data() + (g * kept + row + first - skipped) * d);
  });
  return trace;
}

}  // namespace axelram::calibration
