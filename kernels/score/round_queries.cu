#include <cstdint>

#include "axelram/kernels/queries.hpp"
#include "common/general_row.cuh"
#include "common/row_checks.hpp"
#include "common/write_events.cuh"
#include "device/launch.cuh"
#include "units/query_rounding.cuh"

namespace axelram::kernels {
namespace {

constexpr unsigned kThreads = 128, kWarps = kThreads / 32;

/// One warp per row: 2d bytes in, 4d and d out. Its limit is the issue of instructions: about 300
/// per row at d = 128. There are far fewer queries than keys.
template <int kDim>
AXELRAM_KERNEL void AXELRAM_BOUNDS(kThreads, 1)
    round_rows(MacroConstants c, ElementRows queries, std::uint32_t group, const std::int8_t* signs,
               RoundedQueries out, WriteEvents* events) {
  constexpr int kCount = kDim / 32;
  const std::uint32_t number = block_x() * kWarps + warp_index();  // fewer than 2^32 - 1 rows
  if (number >= queries.rows()) return;
  const unsigned lane = lane_index();
  const auto heads = static_cast<std::uint32_t>(queries.heads);
  const std::size_t row = number, token = number / heads;
  const std::uint32_t head = number % heads;

  GeneralRow<kCount> query = align_row<kCount>(
      c, queries.data + token * queries.token_stride + head * queries.head_stride, nullptr);
  rotate(signs + std::size_t{head / group} * kDim, query.m);
  const int shift = row_shift(query.m, c.query_bits);
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const std::int32_t u = round_query_element(query.m[i], shift, c.query_bits);
    const std::size_t at = row * kDim + lane + 32U * static_cast<unsigned>(i);
    if (out.u != nullptr) out.u[at] = u;
    if (out.u8 != nullptr) out.u8[at] = static_cast<std::int8_t>(u);
  }
  if (lane != 0) return;
  if (out.exponents != nullptr) out.exponents[row] = query.finite ? query.e + shift : 0;
  if (events != nullptr) count_events(events, number, query.finite, false);
}

}  // namespace

void round_queries(Stream& stream, const MacroConstants& c, const ElementRows& queries,
                   std::int32_t group, const std::int8_t* signs, const RoundedQueries& out,
                   WriteEvents* events) {
  constexpr const char* kName = "round_queries";
  check_constants(kName, c);
  const std::string shapes = shape_text("queries", queries, c.head_dim);
  check_rows(kName, shapes, queries);
  require(group > 0 && queries.heads % static_cast<std::size_t>(group) == 0, kName, shapes,
          "the group must divide the heads");
  require(out.u8 == nullptr || c.query_bits <= 8, kName, shapes,
          "bytes hold queries of at most 8 bits");
  if (queries.rows() == 0) return;
  require(signs != nullptr, kName, shapes, "no signs");
  const Launch l{kName, shapes, (queries.rows() + kWarps - 1) / kWarps, 1, 1, kThreads};
  const auto run = [&](auto kernel) {
    launch(stream, l, kernel, c, queries, static_cast<std::uint32_t>(group), signs, out, events);
  };
  if (c.head_dim == 32) return run(round_rows<32>);
  if (c.head_dim == 64) return run(round_rows<64>);
  if (c.head_dim == 128) return run(round_rows<128>);
  run(round_rows<256>);
}

}  // namespace axelram::kernels
