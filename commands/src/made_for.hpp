#pragma once

#include "axelram/commands/config_file.hpp"
#include "axelram/files/exponents.hpp"

namespace axelram::commands {

/// The exponents that a configuration names. Throws files::InputError for a file that holds none.
files::BalanceInUse balance_of(const ConfigFile& file);

/// Throws files::InputError if the center of a configuration says that it was made for other
/// exponents than those of the configuration. A center that says nothing is taken as it is, since a
/// user may have made it.
void check_center(const ConfigFile& file);

}  // namespace axelram::commands
