#pragma once

#include <map>
#include <string>

#include "axelram/sim/activity.hpp"
#include "axelram/sim/cells.hpp"

namespace axelram::sim {

/// What all instances of a mapped module toggle.
struct ModuleActivity {
  std::uint64_t instances = 0;
  Toggles toggles;
};
std::map<std::string, ModuleActivity> activity_of_modules(const MappedDesign& design,
                                                          const Activity& activity);

/// Power and energy of a macro's cells. A module takes idle + activity * (busy - idle) W, where the
/// activity is toggles of a bit in a cycle; so each toggle of all its bits takes (busy - idle) *
/// period.
struct LogicEnergy {
  double idle_power = 0;                 ///< mW
  double key = 0, query = 0, score = 0;  ///< pJ above idle, of each
  std::string missing;                   ///< why there is none; empty if there is
};
LogicEnergy logic_energy(const MappedDesign& design, const Activity& activity, double period);

}  // namespace axelram::sim
