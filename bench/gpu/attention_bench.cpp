#include <algorithm>
#include <cmath>

#include "axelram/attention.hpp"
#include "axelram/code.hpp"
#include "axelram/kernels/attend_in_order.hpp"
#include "axelram/kernels/attention.hpp"
#include "queries.hpp"
#include "report_line.hpp"

namespace bench {

using namespace axelram::kernels;

namespace {

/// Every kind at the paper's 3 bits.
constexpr int kBits = 3;

/// What a decode step reads beside the formats of its rows.
struct Quantizer {
  MacroConstants constants = paper_constants(kBits);
  MacroConstants value_constants = constants;
  std::int32_t exact_first = 0, exact_last = 0;  ///< exact tokens of keys and of values
  bool rounds = false;                           ///< queries, before it attends
};

/// Rows of exact tokens of every sequence: random elements, exponents of their size.
class ExactTokens {
 public:
  ExactTokens(Stream& stream, const Shape& shape, std::int32_t first, std::int32_t last)
      : slots_(shape.batch * shape.heads * static_cast<std::size_t>(first + last)),
        elements_(many_elements(stream, slots_ * shape.d, 14)),
        exponents_(stream, std::vector<std::int32_t>(slots_, -14)) {
    rows_ = {static_cast<std::int32_t>(shape.heads), static_cast<std::int32_t>(shape.d), first,
             last, last};
    rows_.elements = elements_.data();
    rows_.exponents = exponents_.data();
  }
  const ExactRows& rows() const { return rows_; }

 private:
  std::size_t slots_;
  Buffer<std::uint16_t> elements_;
  Buffer<std::int32_t> exponents_;
  ExactRows rows_;
};

/// Returns the time of a step, 0 if it was skipped. plain_us: of plain records, or 0.
double decode_step(Bench& bench, Json line, const RowFormat& key_format,
                   const RowFormat& value_format, const Shape& shape,
                   const Quantizer& quantizer = {}, double plain_us = 0) {
  const std::size_t bytes =
      PagedRows::bytes(key_format, shape) + PagedRows::bytes(value_format, shape);
  const std::size_t sets = sets_beyond_cache(bytes);
  // Pages are filled to a multiple of 64 tokens, heads of records to 128 bytes.
  if (!bench.fits(line, sets * bytes / 16 * 17)) return 0;

  const PagedRows keys(bench.stream, key_format, false, shape, sets);
  const PagedRows values(bench.stream, value_format, true, shape, sets);
  const PagedTables tables(bench.stream, shape, sets);
  const DecodeQueries device_queries(bench.stream, shape);
  const AttentionQueries queries = device_queries.queries();
  const Buffer<std::int8_t> signs(bench.stream, std::vector<std::int8_t>(shape.heads * shape.d, 1));
  const Buffer<std::int8_t> balance(bench.stream, every_exponent(shape));
  const Buffer<CodeCounts> counts(bench.stream, std::vector<CodeCounts>(1));
  const ExactTokens exact(bench.stream, shape, quantizer.exact_first, quantizer.exact_last);
  AttentionShape attention;
  attention.heads = static_cast<std::int32_t>(shape.heads);
  attention.group = static_cast<std::int32_t>(shape.group);
  attention.head_dim = static_cast<std::int32_t>(shape.d);
  attention.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.d)));
  const auto cache_of = [&](std::size_t set) {
    AttentionCache cache;
    cache.keys = keys.pages();
    cache.values = values.pages();
    cache.table = tables.of_set(set);
    cache.key_constants = quantizer.constants;
    cache.value_constants = quantizer.value_constants;
    cache.exact_keys = cache.exact_values = exact.rows();
    cache.value_rotations = signs.data();
    cache.code = key_format.code;
    cache.counts = counts.data();
    return cache;
  };
  const AttentionCache first = cache_of(0);
  const auto longest = static_cast<std::int32_t>(shape.context);
  const Buffer<std::uint8_t> workspace(attention_workspace(attention, first, queries, longest));
  const Buffer<float> out(shape.batch * shape.heads * shape.group * shape.d);
  const Timing timing = time_graph(bench.stream, sets, [&](std::size_t set) {
    if (quantizer.rounds)
      device_queries.round(bench.stream, quantizer.constants, {signs.data(), balance.data()});
    attend(bench.stream, attention, cache_of(set), queries, longest, workspace.data(), out.data());
  });
  const std::size_t queries_bytes = out.size() * (2 + sizeof(float));
  add_timing(line, bench, timing, static_cast<double>(bytes + queries_bytes));
  line["tensor_cores"] = has_fast_attention(attention, first, queries);
  line["cache_bytes"] = bytes;
  if (plain_us > 0) line["of_attention_k3_v3"] = rounded(timing.us / plain_us);
  bench.write(line);
  return timing.us;
}

/// A step with its queries, without balance and with it.
void balanced_steps(Bench& bench, const Shape& shape, double plain_us) {
  const RowFormat records{RowKind::records, kBits, nullptr};
  Quantizer quantizer;
  quantizer.rounds = true;
  decode_step(bench, line_of("attention_with_queries_k3_v3", shape), records, records, shape,
              quantizer, plain_us);
  quantizer.constants.balanced = true;
  decode_step(bench, line_of("attention_balanced_k3_v3", shape), records, records, shape, quantizer,
              plain_us);
}

/// Keys and values of a trellis, with as many exact tokens as are recommended, and keys of two
/// parts, against plain records of `plain_us`.
void quantizer_steps(Bench& bench, const Shape& shape, double plain_us) {
  const RowFormat records{RowKind::records, kBits, nullptr};
  decode_step(bench, line_of("attention_trellis_k3_v3", shape), records, records, shape,
              {unbiased_constants(kBits, kStates), unbiased_constants(kBits, kStates)}, plain_us);
  const Quantizer exact{unbiased_constants(kBits, 0), unbiased_constants(kBits, 0), 1, 16};
  Json line = line_of("attention_exact_k3_v3", shape);
  line["copies"] = exact.exact_first + exact.exact_last;
  decode_step(bench, line, records, records, shape, exact, plain_us);
  const auto parts_step = [&](const char* name, const axelram::Parameters& p, int value_states) {
    const Quantizer parts{macro_constants(p, axelram::codebook_rom(p)),
                          unbiased_constants(kBits, value_states)};
    decode_step(bench, line_of(name, shape), RowFormat::records_of(parts.constants), records, shape,
                parts, plain_us);
  };
  parts_step("attention_prod_k3_v3", prod_parameters(3), 0);
  parts_step("attention_split_k4_2_v3", split_parameters(4, 2, 0), 0);
  parts_step("attention_split_trellis_k3_1_v3", split_parameters(3, 1, kStates), kStates);
}

/// The integers of the contract over plain records, which the macro computes: a warp walks the
/// whole context of a query head, so that fewer tokens tell enough.
void in_order_step(Bench& bench, Shape shape) {
  shape.context = std::min<std::size_t>(shape.context, 2048);
  const RowFormat records{RowKind::records, kBits, nullptr};
  const std::size_t bytes = 2 * PagedRows::bytes(records, shape);
  const std::size_t sets = sets_beyond_cache(bytes);
  Json line = line_of("attention_in_order_k3_v3", shape);
  if (!bench.fits(line, sets * bytes / 16 * 17)) return;
  const PagedRows keys(bench.stream, records, false, shape, sets);
  const PagedRows values(bench.stream, records, true, shape, sets);
  const PagedTables tables(bench.stream, shape, sets);
  const DecodeQueries queries(bench.stream, shape);
  const Buffer<std::int8_t> signs(bench.stream, std::vector<std::int8_t>(shape.heads * shape.d, 1));
  const Buffer<float> out(shape.batch * shape.heads * shape.group * shape.d);

  axelram::Parameters parameters;
  parameters.index_bits = kBits;
  axelram::AttentionParameters integers;
  integers.weight_bits = axelram::default_weight_bits(shape.context);
  integers.scale = axelram::default_attention_scale(parameters.head_dim);
  const AttentionConstants constants =
      attention_constants(integers, axelram::codebook_rom(parameters));
  AttentionShape attention;
  attention.heads = static_cast<std::int32_t>(shape.heads);
  attention.group = static_cast<std::int32_t>(shape.group);
  attention.head_dim = static_cast<std::int32_t>(shape.d);
  const Timing timing = time_graph(bench.stream, sets, [&](std::size_t set) {
    AttentionCache cache;
    cache.keys = keys.pages();
    cache.values = values.pages();
    cache.table = tables.of_set(set);
    cache.key_constants = cache.value_constants = paper_constants(kBits);
    cache.value_rotations = signs.data();
    attend_pages_in_order(bench.stream, attention, cache, queries.queries(), constants, out.data());
  });
  add_timing(line, bench, timing, static_cast<double>(bytes + out.size() * (1 + sizeof(float))));
  line["ns_per_token_and_query_head"] =
      rounded(1000 * timing.us /
              static_cast<double>(shape.batch * shape.heads * shape.group * shape.context));
  bench.write(line);
}

/// Keys and values of every code, decoded as they are read.
void protected_steps(Bench& bench, const Shape& shape) {
  for (const char* name : {"hamming74", "hamming84", "golay24"}) {
    const DeviceCode code(bench.stream, axelram::make_code(name));
    const RowFormat coded{RowKind::codewords, kBits, &code};
    Json line = line_of("attention_protected", shape);
    line["code"] = name;
    line["bit_error_rate"] = kErrorRate;
    decode_step(bench, line, coded, coded, shape);
  }
}

}  // namespace

void bench_attention(Bench& bench) {
  const bool small = bench.options.small;
  const std::vector<std::size_t> batches =
      small ? std::vector<std::size_t>{2} : std::vector<std::size_t>{1, 4, 16, 64};
  const std::vector<std::size_t> contexts =
      small ? std::vector<std::size_t>{70} : std::vector<std::size_t>{1024, 8192, 32768, 131072};
  const RowFormat fp16, records{RowKind::records, kBits, nullptr};
  for (const std::size_t batch : batches)
    for (const std::size_t context : contexts) {
      Shape shape;
      shape.batch = batch;
      shape.context = context;
      decode_step(bench, line_of("attention_fp16", shape), fp16, fp16, shape);
      decode_step(bench, line_of("attention_k3_v16", shape), records, fp16, shape);
      const double us =
          decode_step(bench, line_of("attention_k3_v3", shape), records, records, shape);
      if (!small && (batch != 16 || context != 32768)) continue;
      balanced_steps(bench, shape, us);
      quantizer_steps(bench, shape, us);
      in_order_step(bench, shape);
      protected_steps(bench, shape);
    }
}

}  // namespace bench
