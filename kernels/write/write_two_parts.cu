#include "write/write_general.cuh"

namespace axelram::kernels {

void write_two_parts(Stream& stream, const char* name, const std::string& shapes,
                     const MacroConstants& c, const ElementRows& keys, const Rotations& rotations,
                     const std::uint16_t* center, const WrittenRows& out) {
  const auto write = c.prod          ? launch_general<32, QuantizerKind::prod>
                     : c.states != 0 ? launch_general<16, QuantizerKind::trellis>
                                     : launch_general<16, QuantizerKind::mse>;
  write(stream, name, shapes, c, keys, rotations, center, out);
}

}  // namespace axelram::kernels
