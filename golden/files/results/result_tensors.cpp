#include "axelram/files/result_tensors.hpp"

namespace axelram::files {
namespace {

// Names of the axes in the table.
constexpr Axis T = Axis::tokens, Q = Axis::queries, D = Axis::elements, P = Axis::parts,
               B = Axis::boundaries, L = Axis::levels, R = Axis::record_bytes,
               K = Axis::codeword_bytes, C = Axis::copies, N = Axis::commands;

template <class... Axes>
std::vector<Axis> axes_of(Axes... axes) {
  return {axes...};
}

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

const char* name_of(Axis axis) {
  switch (axis) {
    case Axis::tokens:
      return "tokens";
    case Axis::queries:
      return "queries";
    case Axis::elements:
      return "d";
    case Axis::parts:
      return "";
    case Axis::boundaries:
      return "boundary words";
    case Axis::levels:
      return "words";
    case Axis::record_bytes:
      return "bytes of a record";
    case Axis::codeword_bytes:
      return "codeword bytes";
    case Axis::copies:
      return "copies";
    case Axis::commands:
      return "rows";
  }
  return "";
}

/// "[tokens, d]"; with an axis of parts "[tokens] *".
std::string text_of(const std::vector<Axis>& axes) {
  std::string text;
  for (const Axis axis : axes)
    if (axis != Axis::parts) text += (text.empty() ? "" : ", ") + std::string(name_of(axis));
  return "[" + text + "]" + (axes.back() == Axis::parts ? " *" : "");
}

}  // namespace

Shape TensorRow::shape(const ResultShape& result) const {
  Shape extents;
  for (const Axis axis : axes)
    if (axis != Axis::parts || result.split()) extents.push_back(extent_of(axis, result));
  return extents;
}

const std::vector<TensorRow>& result_tensor_rows() {
#define AXELRAM_ROW(name, member, element, axes, condition, content)              \
  {name,           result_element::element::kType, axes_of axes, condition.holds, \
   condition.text, condition.of_attention,         content},
  static const std::vector<TensorRow> rows = {AXELRAM_RESULT_TENSORS(AXELRAM_ROW)};
#undef AXELRAM_ROW
  return rows;
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
