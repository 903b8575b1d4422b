#include "common/row_checks.hpp"
#include "write/write_general.cuh"

namespace axelram::kernels {

void write_keys_general(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                        const KeyRotations& rotations, const std::uint16_t* center,
                        const WrittenRows& out) {
  constexpr const char* kName = "write_keys_general";
  const std::string shapes = check_keys(kName, c, keys, rotations, center, out);
  if (keys.rows() == 0) return;
  GeneralWrite* const write = c.two_parts()
                                  ? (c.balanced ? write_two_parts_balanced : write_two_parts)
                                  : (c.balanced ? write_one_part_balanced : launch_one_part<false>);
  write(stream, kName, shapes, c, keys, rotations, center, out);
}

}  // namespace axelram::kernels
