#include <string>

#include "axelram/kernels/scores.hpp"
#include "common/reductions.cuh"
#include "common/row_checks.hpp"
#include "device/launch.cuh"
#include "units/exact.cuh"

namespace axelram::kernels {
namespace {

constexpr unsigned kWarps = 4;    // of a block: a query each
constexpr unsigned kCopies = 32;  // of a block: a lane each

/// A warp holds its query in registers and takes the copies of its block one after the other. Lane
/// i keeps the sum of copy i, and all lanes score their sums at once. A copy takes d / 32 loads and
/// as many products of a lane, and 20 instructions for the sum over the warp. There are few copies:
/// the latency of these instructions is the limit.
template <int kDim>
AXELRAM_KERNEL void AXELRAM_BOUNDS(32 * kWarps, 1)
    score_copies_kernel(MacroConstants c, const std::int32_t* u, const std::int32_t* exponents,
                        std::size_t queries, KeyCopies copies, std::size_t tokens,
                        std::int64_t* accumulators, float* scores, std::uint32_t* saturated) {
  constexpr int kCount = kDim / 32;
  const std::size_t query = std::size_t{block_x()} * kWarps + warp_index();
  if (query >= queries) return;
  const unsigned lane = lane_index();
  std::int32_t row[kCount];
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    row[i] = load(u + query * kDim + lane + 32U * static_cast<unsigned>(i));

  const std::size_t first = std::size_t{block_y()} * kCopies, rest = copies.count - first;
  const unsigned count = rest < kCopies ? static_cast<unsigned>(rest) : kCopies;
  std::int64_t acc = 0;
  for (unsigned number = 0; number < count; ++number) {
    const std::int16_t* const copy = copies.elements + (first + number) * kDim + lane;
    std::int64_t sum = 0;
    AXELRAM_UNROLL
    for (int i = 0; i < kCount; ++i)
      sum += std::int64_t{row[i]} * load(copy + 32U * static_cast<unsigned>(i));
    sum = over_warp(sum, Sum());
    if (number == lane) acc = sum;
  }
  if (lane >= count) return;
  const std::size_t mine = first + lane;
  const std::size_t at = query * tokens + static_cast<std::size_t>(load(copies.tokens + mine));
  bool beyond = false;
  scores[at] = score_copy_ref(acc, load(exponents + query), load(copies.exponents + mine),
                              c.centroid_bits, &beyond);
  if (accumulators != nullptr) accumulators[at] = acc;
  if (beyond && saturated != nullptr) atomic_add(saturated, 1U);
}

}  // namespace

void score_copies(Stream& stream, const MacroConstants& c, const std::int32_t* u,
                  const std::int32_t* exponents, std::size_t queries, const KeyCopies& copies,
                  std::size_t tokens, std::int64_t* accumulators, float* scores,
                  std::uint32_t* saturated) {
  constexpr const char* kName = "score_copies";
  check_constants(kName, c);
  const std::string d = std::to_string(c.head_dim);
  const std::string shapes = "queries [" + std::to_string(queries) + ", " + d + "], copies [" +
                             std::to_string(copies.count) + ", " + d + "] of " +
                             std::to_string(tokens) + " tokens";
  require(c.unbiased, kName, shapes, kUnbiasedCopies);
  require(copies.count <= tokens, kName, shapes, "a token has at most one copy");
  if (queries == 0 || copies.count == 0) return;
  require(u != nullptr && exponents != nullptr, kName, shapes, "no queries");
  require(copies.elements != nullptr && copies.exponents != nullptr && copies.tokens != nullptr,
          kName, shapes, "no copies");
  require(scores != nullptr, kName, shapes, "no scores");
  const Launch l{
      kName, shapes,     (queries + kWarps - 1) / kWarps, (copies.count + kCopies - 1) / kCopies,
      1,     32 * kWarps};
  const auto run = [&](auto kernel) {
    launch(stream, l, kernel, c, u, exponents, queries, copies, tokens, accumulators, scores,
           saturated);
  };
  if (c.head_dim == 32) return run(score_copies_kernel<32>);
  if (c.head_dim == 64) return run(score_copies_kernel<64>);
  if (c.head_dim == 128) return run(score_copies_kernel<128>);
  run(score_copies_kernel<256>);
}

}  // namespace axelram::kernels
