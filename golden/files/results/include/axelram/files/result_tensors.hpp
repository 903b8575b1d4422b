#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "axelram/files/result_shape.hpp"
#include "axelram/files/safetensors.hpp"

/// The tensors of a result in the order of the file (bit-contract.md#result): name, member of
/// ResultTensors, element type, axes, when the tensor is present, and what it holds. All else
/// follows from this table: members, sizes, names and checks of tensors, and the tables of the
/// contract. Element types are those of result_element, axes those of result_axis, and conditions
/// those of result_tensors.cpp.
// clang-format off
#define AXELRAM_RESULT_TENSORS(ROW)                                                                \
  ROW("indices", indices, U8, (tokens, d), always, "idx_i")                                        \
  ROW("levels", levels, U8, (tokens, d), trellis, "number of the level")                           \
  ROW("residual_signs", residual_signs, U8, (tokens, d), prod, "t_i")                              \
  ROW("norms", norms, F16, (tokens, parts), always, "norm")                                        \
  ROW("residual_norms", residual_norms, F16, (tokens), prod, "residual norm")                      \
  ROW("residual_shifts", residual_shifts, I32, (tokens), prod, "`shift` of the residual")          \
  ROW("correlations", correlations, I64, (tokens, parts), unbiased, "A")                           \
  ROW("path_costs", path_costs, U32, (tokens, parts), trellis, "cost of the path")                 \
  ROW("thresholds", thresholds, I32, (tokens, boundaries), no_trellis, "T_j")                      \
  ROW("reconstructions", reconstructions, I32, (tokens, levels), trellis_or_prod,                  \
      "R_j; words are those of `reconstruction_words`")                                            \
  ROW("records", records, U8, (tokens, record_bytes), always, "record, before the code")           \
  ROW("codewords", codewords, U8, (tokens, codeword_bytes), code, "codewords as written")          \
  ROW("exact", exact, U8, (tokens), exact_tokens,                                                  \
      "1 if the scores of the token come from a copy, otherwise 0")                                \
  ROW("exact_keys", exact_keys, I16, (copies, d), exact_tokens,                                    \
      "h_i of the copies that the macro holds after the last key, in order of tokens")             \
  ROW("exact_exponents", exact_exponents, I32, (copies), exact_tokens, "e_k of these copies")      \
  ROW("rotated_queries", rotated_queries, I32, (queries, d), always, "u_i, rounded (not y_i)")     \
  ROW("query_exponents", query_exponents, I32, (queries), always, "e_u")                           \
  ROW("residual_queries", residual_queries, I32, (queries, d), prod, "v_i")                        \
  ROW("residual_query_exponents", residual_query_exponents, I32, (queries), prod, "e_v")           \
  ROW("accumulators", accumulators, I64, (queries, tokens, parts), always,                         \
      "acc, of the copy where one was used")                                                       \
  ROW("residual_accumulators", residual_accumulators, I64, (queries, tokens), prod, "acc2")        \
  ROW("scores", scores, F32, (queries, tokens), always, "score")                                   \
  ROW("value_indices", value_indices, U8, (tokens, d), attention, "indices of the value")          \
  ROW("value_norms", value_norms, F16, (tokens), attention, "norm of the value")                   \
  ROW("value_records", value_records, U8, (tokens, record_bytes), attention,                       \
      "its record, before the code")                                                               \
  ROW("value_codewords", value_codewords, U8, (tokens, codeword_bytes), attention_code,            \
      "its codewords as written")                                                                  \
  ROW("logits", logits, I32, (queries, tokens), attention, "`logit`")                              \
  ROW("weights", weights, I32, (queries, tokens), attention,                                       \
      "`weight`, 0 for a token without one")                                                       \
  ROW("weight_references", weight_references, I32, (queries, tokens), attention,                   \
      "`weight_reference` after the token")                                                        \
  ROW("maxima", maxima, I32, (queries), attention, "`maximum`")                                    \
  ROW("denominators", denominators, U64, (queries), attention, "`denominator`")                    \
  ROW("sums", sums, I64, (queries, d), attention, "`sum`_i")                                       \
  ROW("output_shifts", output_shifts, I32, (queries), attention, "`output_shift`")                 \
  ROW("rotated_outputs", rotated_outputs, I32, (queries, d), attention, "`rotated`_i")             \
  ROW("reciprocals", reciprocals, U32, (queries), attention, "`reciprocal`")                       \
  ROW("outputs", half_outputs, F16, (queries, d), half_output, "the output")                       \
  ROW("outputs", float_outputs, F32, (queries, d), float_output, "the output")                     \
  ROW("refused", refused, U8, (rows), commands, "1 if the row was rejected, otherwise 0")
// clang-format on

namespace axelram::files {

/// Types of elements, in the file and in memory.
namespace result_element {
template <class T, DataType type>
struct Element {
  using Type = T;
  static constexpr DataType kType = type;
};
using U8 = Element<std::uint8_t, DataType::u8>;
using I16 = Element<std::int16_t, DataType::i16>;
using F16 = Element<std::uint16_t, DataType::f16>;  ///< raw bits
using I32 = Element<std::int32_t, DataType::i32>;
using U32 = Element<std::uint32_t, DataType::u32>;
using F32 = Element<float, DataType::f32>;
using I64 = Element<std::int64_t, DataType::i64>;
using U64 = Element<std::uint64_t, DataType::u64>;
}  // namespace result_element

/// The values of all tensors, row-major; those of an absent one are empty.
struct ResultTensors {
#define AXELRAM_MEMBER(name, member, element, axes, condition, content) \
  std::vector<result_element::element::Type> member;
  AXELRAM_RESULT_TENSORS(AXELRAM_MEMBER)
#undef AXELRAM_MEMBER
};

/// An axis of tensors: its name in documents, and its extent.
struct Axis {
  const char* name;
  std::size_t (*extent)(const ResultShape& shape);
};

/// With a split, `parts` is 2; without one there is no such axis.
namespace result_axis {
extern const Axis tokens, queries, d, parts, boundaries, levels, record_bytes, codeword_bytes,
    copies, rows;
}

/// A row of the table.
struct TensorRow {
  const char* name;
  DataType type;
  std::vector<const Axis*> axes;
  /// True if a result of this shape has the tensor; both outputs are one tensor.
  bool (*present)(const ResultShape& shape);
  const char* condition;  ///< the same for documents; empty: always, or always with attention
  bool of_attention;
  const char* content;

  Shape shape(const ResultShape& result) const;
};

const std::vector<TensorRow>& result_tensor_rows();

/// The rows that are, or are not, of attention, as a Markdown table of docs/bit-contract.md.
std::string result_tensors_markdown(bool of_attention);

/// Calls f(row, shape, values) for each tensor of a result in the order of the file. R is Result or
/// const Result.
template <class R, class F>
void for_each_tensor(R& result, F&& f) {
  auto row = result_tensor_rows().begin();
#define AXELRAM_VISIT(name, member, element, axes, condition, content)  \
  if (row->present(result)) f(*row, row->shape(result), result.member); \
  ++row;
  AXELRAM_RESULT_TENSORS(AXELRAM_VISIT)
#undef AXELRAM_VISIT
}

/// Row `row` of a tensor of `rows` rows; empty if the tensor is absent.
template <class T>
std::span<T> row_of(std::vector<T>& tensor, std::size_t row, std::size_t rows) {
  const std::size_t width = tensor.size() / rows;
  return std::span<T>(tensor).subspan(row * width, width);
}

}  // namespace axelram::files
