#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "axelram/sim/driver.hpp"

namespace axelram::sim {

inline Command injection(Injection mode, std::vector<std::uint8_t> mask) {
  Command command{Command::Kind::inject};
  command.injection = mode;
  command.mask = std::move(mask);
  return command;
}

inline Command protection(ErasurePolicy erasure, bool write_back) {
  Command command{Command::Kind::protection};
  command.erasure = erasure;
  command.write_back = write_back;
  return command;
}

}  // namespace axelram::sim
