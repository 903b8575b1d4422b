#pragma once

#include "attention/group_sums/arguments.hpp"
#include "axelram/simd.hpp"
#include "codes/fault/arguments.hpp"
#include "keys/feedback/arguments.hpp"
#include "memory/similarity/arguments.hpp"
#include "scores/dequantize/arguments.hpp"
#include "scores/score/arguments.hpp"
#include "tiers/float_row/arguments.hpp"
#include "tiers/kivi/arguments.hpp"
#include "tiers/nuq/arguments.hpp"
#include "tiers/squat/arguments.hpp"

namespace axelram {

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
