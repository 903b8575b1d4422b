#pragma once

#include <string>

#include "axelram/files/config.hpp"
#include "axelram/report/activity.hpp"
#include "axelram/report/cells.hpp"
#include "axelram/report/token.hpp"
#include "lines/section.hpp"

namespace axelram::report {

/// Macros, cycles, time, accesses and energy of a decoding step; n/a without one. Energy of the
/// logic is n/a without a design.
void add_token(const files::Config& config, const DecodingStep* step, const MappedDesign* design,
               Lines* lines);
void add_token_energy(const files::Config& config, const DecodingStep* step,
                      const MappedDesign* design, const char* without_step, Lines* lines);
/// Lines of the units that the macro is compared with; n/a for the reason `why`, if there is one.
void add_token_baselines(const files::Config& config, const DecodingStep* step,
                         const std::string& why, Lines* lines);
void add_activity(const MappedDesign& design, const Activity& activity, Lines* lines);

}  // namespace axelram::report
