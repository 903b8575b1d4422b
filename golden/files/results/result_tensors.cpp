#include "axelram/files/result_tensors.hpp"

namespace axelram::files {
namespace result_axis {

using S = const ResultShape&;
const Axis tokens = {"tokens", [](S s) { return s.tokens; }};
const Axis queries = {"queries", [](S s) { return s.queries; }};
const Axis d = {"d", [](S s) { return s.head_dim(); }};
const Axis parts = {"*", [](S s) { return s.parts(); }};
const Axis boundaries = {"boundary words", [](S s) { return s.boundary_count(); }};
const Axis levels = {"words", [](S s) { return s.level_count(); }};
const Axis record_bytes = {"bytes of a record", [](S s) { return s.record_bytes(); }};
const Axis codeword_bytes = {"codeword bytes", [](S s) { return s.codeword_bytes; }};
const Axis copies = {"copies", [](S s) { return s.copies; }};
const Axis rows = {"rows", [](S s) { return s.commands.value_or(0); }};

}  // namespace result_axis
namespace {

/// When a tensor is present, and how documents say it.
struct Condition {
  bool (*holds)(const ResultShape& shape);
  const char* text;
  bool of_attention = false;
};

using S = const ResultShape&;
constexpr Condition always = {[](S) { return true; }, ""};
constexpr Condition trellis = {[](S s) { return s.trellis(); }, "only with a [trellis](#trellis)"};
constexpr Condition no_trellis = {[](S s) { return !s.trellis(); }, "not with a trellis"};
constexpr Condition prod = {[](S s) { return s.prod(); }, "only with [`prod`](#residual)"};
constexpr Condition trellis_or_prod = {[](S s) { return s.trellis() || s.prod(); },
                                       "only with a trellis or `prod`"};
constexpr Condition unbiased = {[](S s) { return s.unbiased(); },
                                "only with `quantizer.scale` `unbiased`"};
constexpr Condition code = {[](S s) { return s.codeword_bytes != 0; }, "only with a code"};
constexpr Condition exact_tokens = {[](S s) { return s.has_copies(); },
                                    "only with [exact tokens](#exact)"};
constexpr Condition attention = {[](S s) { return s.attends(); }, "", true};
constexpr Condition attention_code = {[](S s) { return s.attends() && s.codeword_bytes != 0; },
                                      "only with a code", true};
constexpr Condition half_output = {[](S s) { return s.output == OutputFormat::fp16; },
                                   "with `output` `fp16`", true};
constexpr Condition float_output = {[](S s) { return s.output == OutputFormat::fp32; },
                                    "with `output` `fp32`", true};
constexpr Condition commands = {[](S s) { return s.attends() && s.commands.has_value(); },
                                "only with `commands`", true};

/// "[tokens, d]"; with an axis of parts "[tokens] *".
std::string text_of(std::vector<const Axis*> axes) {
  const bool of_parts = axes.back() == &result_axis::parts;
  if (of_parts) axes.pop_back();
  std::string text;
  for (const Axis* const axis : axes) text += (text.empty() ? "" : ", ") + std::string(axis->name);
  return "[" + text + (of_parts ? "] *" : "]");
}

template <class... Axes>
std::vector<const Axis*> axes_of(const Axes&... axes) {
  return {&axes...};
}

}  // namespace

Shape TensorRow::shape(const ResultShape& result) const {
  Shape extents;
  for (const Axis* const axis : axes)
    if (axis != &result_axis::parts || result.split()) extents.push_back(axis->extent(result));
  return extents;
}

const std::vector<TensorRow>& result_tensor_rows() {
  using namespace result_axis;
#define AXELRAM_ROW(name, member, element, axes, condition, content)              \
  {name,           result_element::element::kType, axes_of axes, condition.holds, \
   condition.text, condition.of_attention,         content},
  static const std::vector<TensorRow> table = {AXELRAM_RESULT_TENSORS(AXELRAM_ROW)};
#undef AXELRAM_ROW
  return table;
}

std::string result_tensors_markdown(bool of_attention) {
  std::string text = "| tensor | type | shape | content |\n|---|---|---|---|\n";
  for (const TensorRow& row : result_tensor_rows()) {
    if (row.of_attention != of_attention) continue;
    const std::string condition = row.condition;
    text += "| `" + std::string(row.name) + "` | " + name_of(row.type) + " | " + text_of(row.axes) +
            " | " + condition + (condition.empty() ? "" : ": ") + row.content + " |\n";
  }
  return text;
}

}  // namespace axelram::files
