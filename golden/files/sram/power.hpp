#pragma once

#include <string>

#include "axelram/files/liberty.hpp"
#include "axelram/files/sram.hpp"
#include "liberty/tables.hpp"

namespace axelram::files {

/// The cell of an SRAM being read, and where its tables are.
struct SramCell {
  const LibertyGroup& library;
  const LibertyGroup& cell;
  const std::string& origin;
  const SramSettings& settings;
  bool mean_power;  ///< internal_power is a mean power in mW, as OpenRAM writes it
  TablePoint point;

  /// The pin of this name, or null.
  const LibertyGroup* pin(const std::string& name) const { return cell.group("pin", name); }
};

/// "1.23 ns", six digits; "1.23" without a unit.
std::string with_unit(double value, const std::string& unit);

/// A time that a pin's timing group of this type requires, in ns, or nothing: minimum_period,
/// min_pulse_width (of the high level).
std::optional<double> required_time(const SramCell& sram, const LibertyGroup& pin,
                                    const std::string& type);

/// Energy of a read or a write in pJ: the internal_power of `clock` under the condition of the
/// access. A Liberty file has rise_power + fall_power in units of voltage_unit^2 *
/// capacitive_load_unit; one of OpenRAM has two mean powers over the shortest period, of a one and
/// of a zero.
SourceFigure access_energy(const SramCell& sram, const std::string& clock, bool writes);

}  // namespace axelram::files
