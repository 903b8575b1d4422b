#include "axelram/kernels/scores.hpp"
#include "queries.hpp"
#include "report_line.hpp"

namespace bench {

using namespace axelram::kernels;

/// Scores of paged keys. The peer multiplies the same keys in FP16.
void bench_scores(Bench& bench) {
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
    const MacroConstants constants = paper_constants(b);
    const Timing timing = time_graph(bench.stream, sets, [&](std::size_t set) {
      score_tiles(bench.stream, constants, cache.pages(), tables.of_set(set), queries.lengths(),
                  static_cast<std::int32_t>(shape.group), queries.u8(), queries.exponents(), stride,
                  scores.data(), nullptr);
    });
    add_timing(line, bench, timing,
               static_cast<double>(keys + rows * (shape.context * sizeof(float) + shape.d)));
    line["key_bytes"] = keys;
    bench.write(line);
  }
}

}  // namespace bench
