#include "common/row_checks.hpp"
#include "write/write_general.cuh"

namespace axelram::kernels {

void write_keys_general(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                        const Rotations& rotations, const std::uint16_t* center,
                        const WrittenRows& out) {
  constexpr const char* kName = "write_keys_general";
  const std::string shapes = check_keys(kName, c, keys, rotations, center, out);
  if (keys.rows() == 0) return;
  const auto write = c.two_parts()   ? write_two_parts
                     : c.states != 0 ? launch_general<32, QuantizerKind::trellis>
                                     : launch_general<32, QuantizerKind::mse>;
  write(stream, kName, shapes, c, keys, rotations, center, out);
}

}  // namespace axelram::kernels
