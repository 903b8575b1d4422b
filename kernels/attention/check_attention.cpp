#include "attention/check_attention.hpp"

#include <cstdint>
#include <numbers>
#include <tuple>

#include "common/check_exact.hpp"
#include "common/check_pages.hpp"
#include "common/row_checks.hpp"

namespace axelram::kernels {

std::string text_of(const AttentionShape& shape, const AttentionCache& cache,
                    const AttentionQueries& queries) {
  return std::to_string(queries.count) + " queries of " + std::to_string(shape.heads) + " x " +
         std::to_string(shape.group) + " heads of " + std::to_string(shape.head_dim) +
         "; keys: " + text_of(cache.keys) + "; values: " + text_of(cache.values);
}

void check_attention(const std::string& kernel, const AttentionShape& shape,
                     const AttentionCache& cache, const AttentionQueries& queries) {
  check_pages(kernel, cache.keys);
  check_pages(kernel, cache.values);
  const auto reject = [&](const std::string& why) {
    throw DeviceError(kernel + "(" + text_of(shape, cache, queries) + "): " + why);
  };
  const bool key_records = cache.keys.kind != RowKind::fp16;
  const bool value_records = cache.values.kind != RowKind::fp16;
  if (shape.group < 1 || shape.group > 16) reject("1 to 16 query heads of a KV head fit");
  for (const Pages* p : {&cache.keys, &cache.values}) {
    if (p->heads != shape.heads || p->head_dim != shape.head_dim)
      reject("the pages hold heads of another number or size");
    if (p->page_tokens != cache.keys.page_tokens) reject("keys and values have different pages");
    if (p->kind == RowKind::fp16 && p->row_stride < 2 * p->head_dim)
      reject("rows of FP16 need a row_stride of " + std::to_string(2 * p->head_dim));
  }
  const auto agree = [&](const Pages& p, const MacroConstants& c) {
    if (c.head_dim != p.head_dim ||
        (p.kind == RowKind::records && (c.index_bits != p.index_bits || c.split != p.split ||
                                        c.second.index_bits != p.second_bits)))
      reject("the constants are those of other records");
    if (p.kind != RowKind::codewords) return;
    if (c.two_parts()) reject("these codewords must be decoded first");
    if (cache.code == nullptr) reject("codewords need their code");
    const std::size_t bytes =
        cache.code->code().codeword_bytes(static_cast<std::size_t>(8 * c.record_bytes()));
    if (static_cast<std::size_t>(p.row_stride) < bytes)
      reject("a codeword has " + std::to_string(bytes) + " bytes");
  };
  if (key_records) agree(cache.keys, cache.key_constants);
  if (value_records) agree(cache.values, cache.value_constants);
  if (!cache.values.values && cache.values.kind == RowKind::records)
    reject("values lie in tiles of keys");
  if (cache.keys.values && cache.keys.kind == RowKind::records)
    reject("keys lie in tiles of values");
  for (const auto& [rows, pages, name] :
       {std::tuple(&cache.exact_keys, &cache.keys, "keys"),
        std::tuple(&cache.exact_values, &cache.values, "values")}) {
    if (!rows->any()) continue;
    check_exact(kernel, *rows, pages == &cache.keys);
    if (rows->heads != shape.heads || rows->head_dim != shape.head_dim)
      reject(std::string("the exact rows of ") + name + " hold heads of another number or size");
    if (pages->kind != RowKind::records)
      reject(std::string("exact rows of ") + name + " stand in place of records in tiles");
    if (cache.keys.kind == RowKind::codewords || cache.values.kind == RowKind::codewords)
      reject("there are no exact tokens beside codewords");
  }
  if (cache.exact_keys.any() && !cache.key_constants.unbiased) reject(kUnbiasedCopies);
  if ((cache.exact_keys.any() && cache.key_constants.two_parts()) ||
      (cache.exact_values.any() && cache.value_constants.two_parts()))
    reject("there are no exact tokens beside records of two parts");
  if (queries.count == 0) return;
  if (key_records && ((queries.u8 == nullptr && queries.u == nullptr) || !queries.exponents))
    reject("records of keys need rounded queries and their exponents");
  if (key_records && cache.key_constants.prod &&
      ((queries.v8 == nullptr && queries.v == nullptr) || !queries.residual_exponents))
    reject("records with residual signs need queries that are rotated twice");
  if (!key_records && queries.fp16 == nullptr) reject("FP16 keys need FP16 queries");
  const Rotations& rotations = cache.value_rotations;
  if (value_records && rotations.signs == nullptr) reject("records of values need their signs");
  if (value_records && cache.value_constants.prod && rotations.residual_signs == nullptr)
    reject("values with residual signs need the signs of their second rotation");
  if (value_records && cache.value_constants.split && rotations.channels == nullptr)
    reject("values of a split need its channels");
}

void check_weight_bits(const char* kernel, const std::string& shapes,
                       const AttentionConstants& attention) {
  require(attention.weight_bits >= 12 && attention.weight_bits <= 28, kernel, shapes,
          "weight_bits out of 12..28");
}

double score_factor(const AttentionShape& shape, const AttentionCache& cache) {
  const bool records = cache.keys.kind != RowKind::fp16;
  return static_cast<double>(shape.scale) * std::numbers::log2e *
         (records ? cache.key_constants.score_scale : 1);
}

}  // namespace axelram::kernels
