#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/kernels/scores.hpp"
#include "queries.hpp"
#include "report_line.hpp"

namespace bench {

using namespace axelram::kernels;

namespace {

/// Random integers of one byte each.
template <class Integer>
std::vector<Integer> small_integers(std::size_t count, std::uint64_t seed) {
  const std::vector<std::uint8_t> bytes = random_bytes(count, seed);
  std::vector<Integer> values(count);
  std::transform(bytes.begin(), bytes.end(), values.begin(), [](std::uint8_t byte) {
    return static_cast<Integer>(std::max(byte - 128, -127));
  });
  return values;
}

/// One macro: scores of its records, and of the copies of its first and 16 newest tokens, which
/// take their place.
void bench_exact_tokens(Bench& bench) {
  axelram::Parameters p;
  p.scale = axelram::ScaleKind::unbiased;
  p.exact_first = 1;
  p.exact_last = 16;
  const MacroConstants constants = macro_constants(p, axelram::codebook_rom(p));
  Shape shape;
  shape.batch = shape.heads = 1;
  shape.context = bench.options.small ? 100 : 4096;
  const std::size_t tokens = shape.context, queries = shape.group, d = shape.d;
  const auto count = static_cast<std::size_t>(p.copies());
  const std::size_t record_bytes = tokens * static_cast<std::size_t>(constants.record_bytes());
  const std::size_t sets = sets_beyond_cache(record_bytes);
  Json records_line = line_of("score_records", shape), copies_line = line_of("score_copies", shape);
  records_line["index_bits"] = p.index_bits;
  copies_line["copies"] = count;
  if (!bench.fits(records_line, sets * (record_bytes + 2 * count * d))) return;

  Stream& stream = bench.stream;
  const Buffer<std::uint8_t> records =
      repeated(stream, random_bytes(record_bytes, 11), sets * record_bytes);
  const Buffer<std::int32_t> u(stream, small_integers<std::int32_t>(queries * d, 12));
  const Buffer<std::int32_t> exponents(stream, std::vector<std::int32_t>(std::max(queries, count)));
  const Buffer<std::int16_t> copies(stream, small_integers<std::int16_t>(sets * count * d, 13));
  std::vector<std::int32_t> exact(count);  // token 0, then the newest
  std::iota(exact.begin() + 1, exact.end(), static_cast<std::int32_t>(tokens - count + 1));
  const Buffer<std::int32_t> copy_tokens(stream, exact);
  const Buffer<float> scores(queries * tokens);

  const Timing of_records = time_graph(stream, sets, [&](std::size_t set) {
    score_records(stream, constants, u.data(), exponents.data(), queries,
                  records.data() + set * record_bytes, tokens, nullptr, scores.data(), nullptr);
  });
  add_timing(records_line, bench, of_records,
             static_cast<double>(record_bytes + 4 * queries * (tokens + d)));
  bench.write(records_line);
  const Timing of_copies = time_graph(stream, sets, [&](std::size_t set) {
    score_copies(stream, constants, u.data(), exponents.data(), queries,
                 {copies.data() + set * count * d, exponents.data(), copy_tokens.data(), count},
                 tokens, nullptr, scores.data(), nullptr);
  });
  add_timing(copies_line, bench, of_copies,
             static_cast<double>(count * (2 * d + 8) + 4 * queries * (count + d)));
  copies_line["of_score_records"] = rounded(of_copies.us / of_records.us);
  bench.write(copies_line);
}

/// Records of two parts, against plain ones of `plain_us`.
void bench_part_tiles(Bench& bench, const Shape& shape, const char* name,
                      const axelram::Parameters& parameters, double plain_us) {
  const MacroConstants constants = macro_constants(parameters, axelram::codebook_rom(parameters));
  const RowFormat format = RowFormat::records_of(constants);
  const std::size_t keys = PagedRows::bytes(format, shape), sets = sets_beyond_cache(keys);
  const std::size_t rows = shape.batch * shape.heads * shape.group;
  const std::size_t stride = (shape.context + 1) / 2 * 2;
  Json line = line_of(name, shape);
  line["record_bytes"] = constants.record_bytes();
  if (!bench.fits(line, sets * keys + rows * stride * sizeof(float))) return;
  const PagedRows cache(bench.stream, format, false, shape, sets);
  const PagedTables tables(bench.stream, shape, sets);
  const DecodeQueries queries(bench.stream, shape);
  const Buffer<float> scores(rows * stride);
  const Timing timing = time_graph(bench.stream, sets, [&](std::size_t set) {
    score_part_tiles(bench.stream, constants, cache.pages(), tables.of_set(set), queries.lengths(),
                     static_cast<std::int32_t>(shape.group), queries.parts(constants.prod), stride,
                     scores.data());
  });
  const std::size_t query_bytes = (constants.prod ? 2 : 1) * shape.d;
  add_timing(line, bench, timing,
             static_cast<double>(keys + rows * (shape.context * sizeof(float) + query_bytes)));
  line["of_scores"] = rounded(timing.us / plain_us);
  bench.write(line);
}

}  // namespace

/// Scores of paged keys. The peer multiplies the same keys in FP16.
void bench_scores(Bench& bench) {
  bench_exact_tokens(bench);
  for (const int b : {2, 3, 4}) {
    Shape shape;
    shape.batch = bench.options.small ? 2 : 16;
    shape.context = bench.options.small ? 100 : 32768;
    const RowFormat format{RowKind::records, b, nullptr};
    const std::size_t keys = PagedRows::bytes(format, shape);
    const std::size_t rows = shape.batch * shape.heads * shape.group;
    const std::size_t stride = (shape.context + 1) / 2 * 2;
    Json line = line_of("scores", shape);
    line["index_bits"] = b;
    const std::size_t sets = sets_beyond_cache(keys);
    if (!bench.fits(line, sets * keys + rows * stride * sizeof(float))) continue;

    const PagedRows cache(bench.stream, format, false, shape, sets);
    const PagedTables tables(bench.stream, shape, sets);
    const DecodeQueries queries(bench.stream, shape);
    const Buffer<float> scores(rows * stride);
    const auto time_scores = [&](const MacroConstants& constants) {
      return time_graph(bench.stream, sets, [&](std::size_t set) {
        score_tiles(bench.stream, constants, cache.pages(), tables.of_set(set), queries.lengths(),
                    static_cast<std::int32_t>(shape.group), queries.u8(), queries.exponents(),
                    stride, scores.data(), nullptr);
      });
    };
    const auto bytes = static_cast<double>(keys + rows * (shape.context * sizeof(float) + shape.d));
    const Timing timing = time_scores(paper_constants(b));
    add_timing(line, bench, timing, bytes);
    line["key_bytes"] = keys;
    bench.write(line);
    // The same bits are records of a trellis.
    Json trellis_line = line_of("scores_trellis", shape);
    trellis_line["index_bits"] = b;
    const Timing of_trellis = time_scores(unbiased_constants(b, kStates));
    add_timing(trellis_line, bench, of_trellis, bytes);
    trellis_line["of_scores"] = rounded(of_trellis.us / timing.us);
    bench.write(trellis_line);
    bench_part_tiles(bench, shape, "scores_prod", prod_parameters(b), timing.us);
    if (b != 3) continue;
    bench_part_tiles(bench, shape, "scores_split_4_2", split_parameters(4, 2, 0), timing.us);
    bench_part_tiles(bench, shape, "scores_split_3_1_trellis", split_parameters(3, 1, kStates),
                     timing.us);
  }
}

}  // namespace bench
