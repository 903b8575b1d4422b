#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/simd.hpp"

namespace axelram {

// Arguments of units, defined in arguments.hpp of their folders.
struct DotQuery;
struct FaultStream;
struct FeedbackRows;
struct FloatRowScores;
struct FloatRowSums;
struct GroupSums;
struct KiviBlockScores;
struct KiviDecoding;
struct KiviEncoding;
struct KiviRowSums;
struct NearestSlot;
struct NuqEncoding;
struct NuqRows;
struct Records;
struct RowScaling;
struct ScoreRounding;
struct SlotCosines;
struct SquatFeedbackStep;
struct SumRounding;

// Units of each level. The sources of a level are compiled with its instruction set. They must not
// emit any function that the linker could merge with one of another level: only the functions of
// units.inl have external linkage, no inline library function is called, and structs of arguments
// have members alone.
template <typename F>
using FunctionOf = F;

namespace portable {
#define AXELRAM_UNIT(name, type) FunctionOf<type> name;
#define AXELRAM_X86_UNIT(name, type)
#include "units.inl"
}  // namespace portable
namespace avx2 {
#define AXELRAM_UNIT(name, type) FunctionOf<type> name;
#include "units.inl"
}  // namespace avx2
namespace avx512 {
#define AXELRAM_UNIT(name, type) FunctionOf<type> name;
#include "units.inl"
}  // namespace avx512

/// The units of a level; null if it has none of that name.
struct LevelUnits {
#define AXELRAM_UNIT(name, type) FunctionOf<type>* name;
#include "units.inl"
};

/// Vectors of a level take this many elements together.
constexpr int kLevelGroup = 32;

/// The units of `level`, or of the best level that this CPU can run; of the portable level if the
/// shape does not `fit` that of vectors.
const LevelUnits& level_units(SimdLevel level, bool fit = true);

}  // namespace axelram
