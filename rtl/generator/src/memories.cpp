#include "axelram/rtl/memories.hpp"

#include <algorithm>

namespace axelram::rtl {

int Memory::address_bits() const {
  int address = 1;
  while ((1 << address) < words) ++address;
  return address;
}

std::string Memory::module(const std::string& prefix) const {
  return prefix + "_sram_" + std::to_string(words) + "x" + std::to_string(bits);
}

std::vector<Memory> memories(const files::Config& config, const Layout& layout) {
  const Parameters& p = config.parameters;
  const bool attends = config.attention.given;
  const auto tokens = [](const char* number) {
    return std::string("u_macro.u_tokens.u_store.g_memory[") + number +
           "].u_store.g_memory.u_memory.u_sram";
  };
  std::vector<Memory> all = {{"records",
                              attends ? tokens("0") : "u_macro.u_store.g_memory.u_memory.u_sram",
                              config.max_keys, layout.stored_bits}};
  if (attends) all.push_back({"value records", tokens("1"), config.max_keys, layout.stored_bits});
  if (layout.rotation_ram) {
    const std::string rotations = "u_macro.u_constants.g_ram.u_rotation_memory.";
    const std::string holds = std::string("signs") +
                              (p.balanced ? (p.centered ? ", exponents" : " and exponents") : "") +
                              (p.centered ? " and centers" : "");
    for (int bank = 0; bank < layout.rows; ++bank)
      all.push_back({holds, rotations + "g_bank[" + std::to_string(bank) + "].u_sram",
                     config.store.rotations,
                     config.microarchitecture.key_lanes * layout.rotation_bits});
    if (p.centered)
      all.push_back({"center exponents", rotations + "g_center.u_exponents", config.store.rotations,
                     p.format_exponent_bits()});
  }
  if (p.copies() != 0) {
    const std::string memory =
        std::string("u_macro.") +
        (attends ? "u_tokens.g_copies.u_copies." : "u_core.g_exact.u_exact.u_store.") +
        "u_copy_memory.";
    all.push_back({"copies", memory + "u_sram", layout.copy_slots * layout.rows,
                   config.microarchitecture.key_lanes * p.exact_bits});
    all.push_back({"copy exponents", memory + "u_exponents", layout.copy_slots, 12});
  }
  if (p.trellis())
    for (int j = 0; j < layout.parts; ++j) {
      const Parameters part = part_parameters(p, j);
      all.push_back({j == 0 ? "survivors" : "survivors of sub-vector 1",
                     std::string("u_macro.u_core.u_write_path.u_key_path.") +
                         (j == 0 ? "u_part" : "g_split.u_split_part") +
                         ".u_indices.g_trellis.u_trellis.u_memory",
                     2 * part.head_dim, part.states + 4 * (part.index_bits - 1)});
    }
  return all;
}

std::vector<Memory> shapes(const std::vector<Memory>& memories) {
  std::vector<Memory> found;
  for (const Memory& memory : memories)
    if (std::none_of(found.begin(), found.end(), [&](const Memory& other) {
          return other.words == memory.words && other.bits == memory.bits;
        }))
      found.push_back(memory);
  return found;
}

}  // namespace axelram::rtl
