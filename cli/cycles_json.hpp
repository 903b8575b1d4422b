#pragma once

#include <nlohmann/json.hpp>

#include "axelram/sim/driver.hpp"

namespace axelram::cli {

inline nlohmann::ordered_json cycles_json(const sim::Cycles& cycles) {
  return {{"write", cycles.write},
          {"rotate", cycles.rotate},
          {"build", cycles.build},
          {"read", cycles.read},
          {"total", cycles.total}};
}

}  // namespace axelram::cli
