#include "write/write_general.cuh"

namespace axelram::kernels {

void write_two_parts(Stream& stream, const char* name, const std::string& shapes,
                     const MacroConstants& c, const ElementRows& keys,
                     const KeyRotations& rotations, const std::uint16_t* center,
                     const WrittenRows& out) {
  launch_two_parts<false>(stream, name, shapes, c, keys, rotations, center, out);
}

}  // namespace axelram::kernels
