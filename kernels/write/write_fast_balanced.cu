#include "write/write_fast.cuh"

namespace axelram::kernels {

void write_fast_balanced(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                         const KeyRotations& rotations, const std::uint16_t* center,
                         const WrittenRows& out) {
  launch_fast<true>(stream, c, keys, rotations, center, out);
}

}  // namespace axelram::kernels
