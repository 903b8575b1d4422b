#include "power.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "liberty/conditions.hpp"

namespace axelram::files {
namespace {

/// No SRAM macro takes a microjoule for an access; published files have such figures.
constexpr double kCredibleEnergy = 1e6;

/// A pin has a few conditions.
constexpr std::size_t kMostPowers = 256;

struct PowerSum {
  double rise = 0, fall = 0;
  bool inside = true;
};

/// Conditions of the internal power of a pin, each once.
std::vector<std::string> conditions(const std::vector<const LibertyGroup*>& powers) {
  std::vector<std::string> list;
  for (const LibertyGroup* power : powers) {
    const std::string when = without_blanks(power->text("when"));
    if (std::find(list.begin(), list.end(), when) == list.end()) list.push_back(when);
  }
  return list;
}

std::string list_of(const std::vector<std::string>& conditions) {
  std::vector<std::string> quoted;
  for (const std::string& when : conditions)
    quoted.push_back(when.empty() ? "none" : in_quotes(when));
  return any_of(quoted);
}

/// The conditions under which the pin's power is that of the access; by their names, or the one
/// that the user names.
std::vector<std::string> chosen(const SramCell& sram, const LibertyGroup& pin,
                                const std::vector<std::string>& all, bool writes) {
  const std::string& wanted = writes ? sram.settings.write_when : sram.settings.read_when;
  if (!wanted.empty()) {
    const std::string when = without_blanks(wanted);
    if (std::find(all.begin(), all.end(), when) == all.end())
      fail_at(sram.origin, pin.line,
              "internal_power has no condition " + in_quotes(wanted) + "; sram." +
                  (writes ? "write_when" : "read_when") + " must be " + list_of(all));
    return {when};
  }
  const auto of = [&all](PinState state) {
    std::vector<std::string> list;
    for (const std::string& when : all)
      if (pin_state(when) == state) list.push_back(when);
    return list;
  };
  const std::vector<std::string> exact = of(writes ? PinState::write : PinState::read);
  return exact.empty() ? of(PinState::enabled) : exact;
}

/// Adds a group such as rise_power, if there is one. False: a table of other variables.
bool add_power(const SramCell& sram, const LibertyGroup& power, const char* kind, double* sum,
               bool* inside) {
  const LibertyGroup* const table = power.group(kind);
  if (table == nullptr) return true;
  const std::optional<TableValue> value =
      table_value(sram.library, *table, sram.point, sram.origin);
  if (!value) return false;
  *sum += value->value;
  *inside = *inside && value->inside;
  return true;
}

/// Adds the powers of all rails under a condition. The reason why there is no sum, which the name
/// of the pin completes, or "".
std::string add_powers(const SramCell& sram, const std::vector<const LibertyGroup*>& powers,
                       const std::string& when, PowerSum* sum) {
  std::vector<std::string> rails;
  for (const LibertyGroup* const power : powers) {
    if (without_blanks(power->text("when")) != when) continue;
    const std::string rail = power->text("related_pg_pin");
    if (std::find(rails.begin(), rails.end(), rail) != rails.end())
      return "not clear: one condition has two internal_power of ";
    rails.push_back(rail);
    const bool both = power->group("power") != nullptr;
    if (!add_power(sram, *power, both ? "power" : "rise_power", &sum->rise, &sum->inside) ||
        !add_power(sram, *power, both ? "power" : "fall_power", &sum->fall, &sum->inside))
      return "not given: more than a transition and a load decide on internal_power of ";
  }
  return "";
}

}  // namespace

std::string with_unit(double value, const std::string& unit) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return unit.empty() ? text : text + (" " + unit);
}

std::optional<double> required_time(const SramCell& sram, const LibertyGroup& pin,
                                    const std::string& type) {
  const double unit =
      liberty_unit(sram.library, "time_unit", "s", sram.origin).value_or(1e-9) * 1e9;
  for (const LibertyGroup& timing : pin.groups) {
    if (timing.kind != "timing" || timing.text("timing_type") != type) continue;
    const LibertyGroup* const table = timing.group("rise_constraint");
    if (table == nullptr) continue;
    const std::optional<TableValue> value =
        table_value(sram.library, *table, sram.point, sram.origin);
    if (value && value->value > 0) return value->value * unit;
  }
  const LibertyAttribute* const attribute =
      pin.find(type == "minimum_period" ? "min_period" : "min_pulse_width_high");
  if (attribute == nullptr) return std::nullopt;
  const double value = liberty_number(*attribute, sram.origin);
  return value > 0 ? std::optional(value * unit) : std::nullopt;
}

SourceFigure access_energy(const SramCell& sram, const std::string& clock, bool writes) {
  const std::string access = writes ? "write" : "read";
  if (clock.empty())
    return {{}, "not given: no memory_" + access + " group of data names its clock"};
  const LibertyGroup* const pin = sram.pin(clock);
  if (pin == nullptr) return {{}, "not given: no pin " + printable(clock)};
  std::vector<const LibertyGroup*> powers;
  for (const LibertyGroup& group : pin->groups)
    if (group.kind == "internal_power") powers.push_back(&group);
  if (powers.size() > kMostPowers)
    return {{},
            "not clear: " + printable(clock) + " has more than " + std::to_string(kMostPowers) +
                " internal_power"};
  if (powers.empty()) return {{}, "not given: " + printable(clock) + " has no internal_power"};

  const std::vector<std::string> all = conditions(powers);
  const std::vector<std::string> found = chosen(sram, *pin, all, writes);
  if (found.size() != 1)
    return {{},
            "not clear: " +
                (found.empty() ? "no condition of the internal_power of " + printable(clock) +
                                     " is known as a " + access + ", there are " + list_of(all)
                               : list_of(found) + " are conditions of a " + access) +
                "; sram." + access + "_when chooses one"};

  PowerSum sum;
  if (std::string reason = add_powers(sram, powers, found.front(), &sum); !reason.empty())
    return {{}, reason + printable(clock)};
  bool modelled = false;  // a characterised SRAM takes less while it is disabled
  for (const std::string& when : all) {
    PowerSum idle;
    modelled = modelled || (pin_state(when) == PinState::idle &&
                            add_powers(sram, powers, when, &idle).empty() &&
                            idle.rise == sum.rise && idle.fall == sum.fall);
  }
  const std::string where = " of " + printable(clock) +
                            (found.front().empty() ? "" : " when " + printable(found.front())) +
                            (sum.inside ? "" : ", nearest entry");
  if (!(sum.rise + sum.fall > 0))
    return {{}, "not given: internal_power" + where + " is " + with_unit(sum.rise + sum.fall, "")};

  double energy = 0;
  std::string note;
  if (sram.mean_power) {
    const std::optional<double> period = required_time(sram, *pin, "minimum_period");
    if (!period)
      return {{}, "not given: the powers" + where + " have no minimum_period to be taken over"};
    energy = (sum.rise + sum.fall) / 2 * *period;
    note = "mean of both powers" + where + " over the shortest period, " + with_unit(*period, "ns");
  } else {
    const auto volt = liberty_unit(sram.library, "voltage_unit", "v", sram.origin);
    const auto farad = liberty_unit(sram.library, "capacitive_load_unit", "f", sram.origin);
    if (!volt || !farad)
      return {{}, "not given: no voltage_unit or capacitive_load_unit, the unit of energy"};
    energy = (sum.rise + sum.fall) * *volt * *volt * *farad * 1e12;
    note = "rise_power + fall_power" + where;
  }
  if (modelled) note += ", the same while it is disabled, hence modelled and not simulated";
  if (energy > kCredibleEnergy)
    return {{}, "not credible: " + note + " is " + with_unit(energy, "pJ")};
  return {energy, note};
}

}  // namespace axelram::files
