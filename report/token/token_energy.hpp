#pragma once

#include <map>
#include <string>

#include "axelram/report/activity.hpp"
#include "axelram/report/cells.hpp"

namespace axelram::report {

/// What all instances of a mapped module toggle.
struct ModuleActivity {
  std::uint64_t instances = 0;
  std::uint64_t gated = 0;  ///< of these, whose clock stands while the macro is idle
  Toggles toggles;
};
std::map<std::string, ModuleActivity> activity_of_modules(const MappedDesign& design,
                                                          const Activity& activity);

/// Power and energy of a macro's cells. A module takes idle + activity * (busy - idle) W, where the
/// activity is toggles of a bit in a cycle; so each toggle of all its bits takes (busy - idle) *
/// period. A module whose clock stands takes its leakage, and (idle - leakage) * period for each
/// cycle with a clock.
struct LogicEnergy {
  double idle_power = 0;                 ///< mW; of modules whose clock stands, leakage alone
  double key = 0, query = 0, score = 0;  ///< pJ above idle, of each
  std::string missing;                   ///< why there is none; empty if there is
};
/// `clock_cycles`: with a clock, of modules whose clock stands, for each key and each query.
LogicEnergy logic_energy(const MappedDesign& design, const Activity& activity, double period,
                         std::uint64_t clock_cycles = 0);

}  // namespace axelram::report
