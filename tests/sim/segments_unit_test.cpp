// axelram_segments against golden: random commands and tokens on a few segments.
#include <random>

#include "axelram/segments.hpp"
#include "check.hpp"
#include "tally.hpp"
#include "unit_bench.hpp"

namespace axelram::sim {
namespace {

using test::port;

/// Inputs of one cycle for axelram_segments. kind: 0 allocate, 1 append, 2 look, 3 evict, 4 free, 5
/// clear.
struct Input {
  bool reset = false, valid = false, wrap = false;
  std::uint32_t kind = 0, segment = 0, base = 0, capacity = 0, sinks = 0, rotation = 0, n = 0;
};

/// Outputs before the clock edge of the cycle.
struct Output {
  bool valid = false, rejected = false, full = false;
  std::uint32_t place = 0, base = 0, sinks = 0, ring = 0, start = 0, count = 0, rotation = 0;
  bool asserted = false;  ///< an assertion failed at the edge before
};

constexpr std::size_t kSegments = 3, kRotations = 2, kKeys = 12, kLatency = 3;
enum Kind : std::uint32_t { kAllocate, kAppend, kLook, kEvict, kFree, kClear };

/// A store of 12 places, three segments and two rows of rotations.
const UnitBench<Input, Output> kBench{
    "segments_unit",
    R"(
  logic unused_taken;
  logic [7:0] unused_rotation;
  axelram_segments #(.MaxKeys(12), .Segments(3), .Rotations(2)) u_segments (
      .clk_i, .rst_ni, .valid_i, .kind_i, .segment_i, .base_i, .capacity_i, .sinks_i, .rotation_i, .wrap_i, .n_i,
      .peek_i(1'b0), .peek_segment_i(8'd0), .peek_taken_o(unused_taken), .peek_rotation_o(unused_rotation),
      .valid_o, .rejected_o, .full_o, .place_o, .base_o, .sinks_o, .ring_o, .start_o, .count_o, .rotation_o
  );
)",
    {port("valid_i", &Input::valid, 1), port("wrap_i", &Input::wrap, 1),
     port("kind_i", &Input::kind, 3), port("segment_i", &Input::segment, 8),
     port("rotation_i", &Input::rotation, 8), port("base_i", &Input::base, 4),
     port("capacity_i", &Input::capacity, 4), port("sinks_i", &Input::sinks, 4),
     port("n_i", &Input::n, 4)},
    {port("valid_o", &Output::valid, 1), port("rejected_o", &Output::rejected, 1),
     port("full_o", &Output::full, 1), port("place_o", &Output::place, 4),
     port("base_o", &Output::base, 4), port("sinks_o", &Output::sinks, 4),
     port("ring_o", &Output::ring, 4), port("start_o", &Output::start, 4),
     port("count_o", &Output::count, 4), port("rotation_o", &Output::rotation, 8)}};

std::vector<Input> cases() {
  std::mt19937_64 random(15);
  const auto below = [&](unsigned bound) { return static_cast<std::uint32_t>(random() % bound); };
  std::vector<Input> all(4);
  all[0].reset = all[1].reset = true;
  for (int i = 0; i < 20000; ++i) {
    Input in;
    in.valid = true;
    const std::uint32_t draw = below(40);
    in.kind = draw < 4    ? kAllocate
              : draw < 26 ? kAppend
              : draw < 32 ? kLook
              : draw < 37 ? kEvict
                          : kFree;
    if (below(300) == 0) in.kind = kClear;
    in.segment = below(20) == 0 ? below(256) : below(kSegments);
    in.base = below(13);
    in.capacity = below(8);
    in.sinks = below(4);
    in.rotation = below(12) == 0 ? below(256) : below(8) == 0 ? kRotations : below(kRotations);
    in.wrap = below(2) == 1;
    in.n = below(6) == 0 ? below(13) : below(3);
    all.push_back(in);
    all.resize(all.size() + 2 + below(2));
  }
  all.resize(all.size() + kLatency);
  return all;
}

struct Comparison {
  ::test::Tally wrong;
  std::size_t rejected = 0, full = 0, wrapped = 0, sinks = 0, emptied = 0;
};

Comparison compare(const Mutant* mutant = nullptr) {
  const std::vector<Input> inputs = cases();
  const std::vector<Output> outputs = run_unit(kBench, inputs, mutant);
  Segments golden(kSegments, kRotations, kKeys);
  Comparison found;
  for (std::size_t t = 4; t + kLatency < inputs.size(); ++t) {
    const Input& in = inputs[t];
    const Output& out = outputs[t + kLatency];
    COMPARE(found.wrong, out.valid, in.valid, t);
    if (!in.valid) continue;
    bool rejected = false, full = false;
    std::uint32_t place = 0;
    const Segment* const before = golden.find(in.segment);
    const std::uint32_t count = before != nullptr ? before->count : 0;
    switch (in.kind) {
      case kAllocate:
        rejected =
            !golden.allocate(in.segment, {in.base, in.capacity, in.sinks, in.rotation, in.wrap});
        break;
      case kAppend: {
        const Segments::Append done = golden.append(in.segment, &place);
        rejected = done != Segments::Append::stored;
        full = done == Segments::Append::full;
        break;
      }
      case kLook:
        rejected = golden.find(in.segment) == nullptr;
        break;
      case kEvict:
        rejected = !golden.evict(in.segment, in.n);
        break;
      case kFree:
        rejected = !golden.free(in.segment);
        break;
      default:
        golden.clear();
    }
    COMPARE(found.wrong, out.rejected, rejected, t);
    COMPARE(found.wrong, out.full, full, t);
    found.rejected += rejected;
    found.full += full;
    if (rejected || in.kind == kFree || in.kind == kClear) continue;
    const Segment& of = *golden.find(in.segment);
    COMPARE(found.wrong,
            std::tuple(out.base, out.sinks, out.ring, out.start, out.count, out.rotation),
            std::tuple(of.base, of.sinks, of.ring(), of.start, of.count, of.rotation), t);
    if (in.kind == kAppend) COMPARE(found.wrong, out.place, place, t);
    found.wrapped += in.kind == kAppend && of.count == count;
    found.sinks += in.kind == kAppend && of.count <= of.sinks;
    found.emptied += in.kind == kEvict && count > of.sinks && of.count == of.sinks;
  }
  return found;
}

}  // namespace

TEST_CASE(
    "segments alone equal golden: rings that wrap, sinks, evictions, everything that is rejected") {
  const Comparison found = compare();
  CHECK(found.wrong == 0);
  CHECK(found.rejected > 1000);
  CHECK(found.full > 300);
  CHECK(found.wrapped > 300);
  CHECK(found.sinks > 300);
  CHECK(found.emptied > 100);
}

TEST_CASE("a fault planted in the segments shows") {
  check_caught(
      {{"a ring that wraps one early", "axelram_segments", "sum >= (CountBits + 1)'(d_ring_q)",
        "sum + 1'b1 >= (CountBits + 1)'(d_ring_q)"},
       {"an evicted token that stays", "axelram_segments",
        "if (kind_q == Evict) d_count_q <= count - gone;", ""},
       {"sinks evicted", "axelram_segments", "(count > sinks) ? count - sinks : '0", "count"},
       {"the start left where it was", "axelram_segments",
        "next_start = advance_q ? around : d_start_q;", "next_start = d_start_q;"},
       {"a place at its neighbour", "axelram_segments",
        "ring_place = advance_q ? d_start_q : around;", "ring_place = around;"},
       {"a segment that is never full", "axelram_segments",
        "assign evicts = ring_full && wrap && ring != '0;",
        "assign evicts = ring_full && ring != '0;"},
       {"places behind the store", "axelram_segments", "> (CountBits + 1)'(MaxKeys);",
        "> (CountBits + 1)'(MaxKeys) + 1'b1;"},
       {"a rotation that does not exist", "axelram_segments", "9'(rotation_q) >= 9'(Rotations)",
        "9'(rotation_q) > 9'(Rotations)"},
       {"a segment allocated twice", "axelram_segments",
        "rejected_q <= !known_q || taken || no_room;", "rejected_q <= !known_q || no_room;"},
       {"tokens kept by a new sequence", "axelram_segments",
        "{d_start_q, d_count_q, d_forgotten_q} <= '0;", ""},
       {"a clear of one segment", "axelram_segments", "if (clear_q) ring_q",
        "if (clear_q && s == 0) ring_q"}},
      [](const Mutant* mutant) { return compare(mutant).wrong; });
}

}  // namespace axelram::sim
