#include "run_windows.hpp"

#include <cmath>
#include <string>

#include "axelram/files/errors.hpp"
#include "axelram/half.hpp"

namespace axelram::calibration {
namespace {

/// Windows that go through the model together: enough rows to make use of every weight read, few
/// enough for their hidden states to fit into memory.
constexpr std::size_t kTokensTogether = 2048;

const char* right_value(float value, ElementFormat format, bool of_tiers) {
  if (!std::isfinite(value)) return "it must be a number";
  if (of_tiers) return "rows of tiers are FP16, which ends at 65504";
  return format == ElementFormat::fp16 ? "FP16 ends at 65504; take bf16 as element format"
                                       : "BF16 ends at 3.39e38";
}

}  // namespace

void check_fits(const Source& source, const transformer::AttentionInputs& inputs, std::size_t row,
                const HeadRows& rows) {
  const std::size_t d = source.checkpoint.architecture.head_dim, width = rows.heads * d;
  const ElementFormat format = rows.of_tiers ? ElementFormat::fp16 : source.element_format;
  for (std::size_t i = 0; i < inputs.tokens * width; ++i) {
    const float value = rows.values[i];
    if (std::abs(value) <= 65504) continue;
    if (is_finite(double_to_element(value, format), format)) continue;
    throw files::InputError("layer " + std::to_string(inputs.layer) + ", " + rows.name + " head " +
                            std::to_string(i % width / d) + ", token " +
                            std::to_string(row + i / width) + ", channel " + std::to_string(i % d) +
                            ": " + std::to_string(value) + "; " +
                            right_value(value, format, rows.of_tiers));
  }
}

std::size_t token_count(const Source& source) {
  std::size_t tokens = 0;
  for (const transformer::Sequence& window : source.windows) tokens += window.ids.size();
  return tokens;
}

void run_windows(
    const Source& source,
    const std::function<void(const transformer::AttentionInputs&, std::size_t row)>& take) {
  const checkpoints::Architecture& a = source.checkpoint.architecture;
  const transformer::Transformer model(source.checkpoint, source.workers);

  std::vector<std::size_t> first_rows;
  std::size_t rows = 0, done = 0;
  std::vector<transformer::Sequence> together;
  for (std::size_t w = 0; w < source.windows.size(); ++w) {
    together.push_back({source.windows[w].ids, static_cast<std::uint32_t>(w)});
    first_rows.push_back(rows);
    rows += together.back().ids.size();
    const bool last = w + 1 == source.windows.size();
    std::size_t waiting = 0;
    for (const transformer::Sequence& window : together) waiting += window.ids.size();
    if (!last && waiting + source.windows[w + 1].ids.size() <= kTokensTogether) continue;
    model.forward(together, source.cache, [&](const transformer::AttentionInputs& inputs) {
      const std::size_t row = first_rows[inputs.sequence];
      check_fits(source, inputs, row, {"key", inputs.keys, a.kv_heads});
      check_fits(source, inputs, row, {"value", inputs.values, a.kv_heads});
      take(inputs, row);
      if (source.progress) source.progress(++done, source.windows.size() * a.layers);
    });
    together.clear();
  }
}

}  // namespace axelram::calibration
