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
/// per row at d = 128. There are far fewer queries than keys. kLanes: of a vector, 16 with a split.
template <int kDim, unsigned kLanes, bool kBalanced>
AXELRAM_KERNEL void AXELRAM_BOUNDS(kThreads, 1)
    round_rows(MacroConstants c, ElementRows queries, std::uint32_t group, Rotations rotations,
               RoundedQueries out, WriteEvents* events, Exponents<kBalanced> exponents) {
  constexpr int kCount = kDim / 32;
  const std::uint32_t number = block_x() * kWarps + warp_index();  // fewer than 2^32 - 1 rows
  if (number >= queries.rows()) return;
  const auto heads = static_cast<std::uint32_t>(queries.heads);
  const std::size_t row = number, token = number / heads;
  const std::uint32_t head = number % heads;
  const std::size_t of_head = std::size_t{head / group} * kDim;

  GeneralRow<kCount> query = align_row<kCount, kLanes>(
      c, queries.data + token * queries.token_stride + head * queries.head_stride, nullptr,
      kLanes < 32 ? rotations.channels + of_head : nullptr,
      RowPowers<kBalanced>::of_query(exponents, of_head));
  const auto store = [&](std::int32_t* words, std::int8_t* bytes) {
    AXELRAM_UNROLL
    for (int i = 0; i < kCount; ++i) {
      const std::size_t at = row * kDim + place_in_row<kCount, kLanes>(i);
      if (words != nullptr) words[at] = query.m[i];
      if (bytes != nullptr) bytes[at] = static_cast<std::int8_t>(query.m[i]);
    }
  };
  rotate<kLanes>(rotations.signs + of_head, query.m);
  std::int32_t exponent = query.e + round_row(query.m, c.query_bits);
  store(out.u, out.u8);
  if (out.exponents != nullptr && lane_index() == 0)
    out.exponents[row] = query.finite ? exponent : 0;
  if (c.prod) {
    rotate(rotations.residual_signs + of_head, query.m);
    exponent += round_row(query.m, c.query_bits);
    store(out.v, out.v8);
    if (out.residual_exponents != nullptr && lane_index() == 0)
      out.residual_exponents[row] = query.finite ? exponent : 0;
  }
  if (events != nullptr && lane_index() == 0) count_events(events, number, query.finite, false);
}

/// What a launch is given.
struct QueryArguments {
  const MacroConstants& c;
  const ElementRows& queries;
  std::uint32_t group;
  const KeyRotations& rotations;
  const RoundedQueries& out;
  WriteEvents* events;
};

template <int kDim, bool kBalanced>
void launch_rows(Stream& stream, const Launch& l, const QueryArguments& a) {
  launch(stream, l, a.c.split ? round_rows<kDim, 16, kBalanced> : round_rows<kDim, 32, kBalanced>,
         a.c, a.queries, a.group, a.rotations, a.out, a.events,
         Exponents<kBalanced>(a.rotations.balance));
}
template <int kDim>
void launch_rows(Stream& stream, const Launch& l, const QueryArguments& a) {
  (a.c.balanced ? launch_rows<kDim, true> : launch_rows<kDim, false>)(stream, l, a);
}

}  // namespace

void round_queries(Stream& stream, const MacroConstants& c, const ElementRows& queries,
                   std::int32_t group, const KeyRotations& rotations, const RoundedQueries& out,
                   WriteEvents* events) {
  constexpr const char* kName = "round_queries";
  check_constants(kName, c);
  const std::string shapes = shape_text("queries", queries, c.head_dim);
  check_rows(kName, shapes, queries);
  require(group > 0 && queries.heads % static_cast<std::size_t>(group) == 0, kName, shapes,
          "the group must divide the heads");
  require((out.u8 == nullptr && out.v8 == nullptr) || c.query_bits <= 8, kName, shapes,
          "bytes hold queries of at most 8 bits");
  if (queries.rows() == 0) return;
  check_rotations(kName, shapes, c, rotations);
  const Launch l{kName, shapes, (queries.rows() + kWarps - 1) / kWarps, 1, 1, kThreads};
  const auto run = c.head_dim == 32    ? launch_rows<32>
                   : c.head_dim == 64  ? launch_rows<64>
                   : c.head_dim == 128 ? launch_rows<128>
                                       : launch_rows<256>;
  run(stream, l, {c, queries, static_cast<std::uint32_t>(group), rotations, out, events});
}

}  // namespace axelram::kernels
