#include "rows/dequantize/arguments.hpp"
#include "simd/level_units.hpp"

namespace axelram::AXELRAM_LEVEL {

void scale_row(const RowScaling& of) { scale_sums(of); }

}  // namespace axelram::AXELRAM_LEVEL
