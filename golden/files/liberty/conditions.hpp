#pragma once

#include <string>

namespace axelram::files {

/// What a memory does under a condition of its control pins.
enum class PinState { read, write, enabled, idle, unknown };

/// The state of a `when` such as "!csb0 & web0", by the names of the pins: csb, cen and the like
/// enable a memory while they are low, cs and ce while they are high; web, wen and the like write
/// while they are low, we while it is high. Digits and a letter a or b behind a name number the
/// port. `enabled`: it does not say whether the memory reads or writes.
PinState pin_state(const std::string& when);

/// A condition without blanks, for comparisons.
std::string without_blanks(const std::string& text);

}  // namespace axelram::files
