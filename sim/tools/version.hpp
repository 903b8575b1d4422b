#pragma once

#include <string>

namespace axelram::sim {

/// What a tool says of its version.
struct Version {
  std::string line;    ///< in which it stands; "" if nothing was printed
  std::string number;  ///< "5.006"; "" if there is none
};

/// The first line with `title` and a number behind it, else the first that begins with a number,
/// else the first of all, so that a warning in front of it is no version.
Version version_in(const std::string& printed, const std::string& title);

/// True if the version is `least` or a later one, part by part, or no number.
bool serves(const std::string& version, const std::string& least);

}  // namespace axelram::sim
