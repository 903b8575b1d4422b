#pragma once

#include <string>
#include <vector>

namespace axelram::commands {

/// A file of scripts/ as compiled into the program.
struct Script {
  const char* path;  ///< below scripts/
  const char* text;
};
const std::vector<Script>& scripts();

/// Runs scripts/NAME, a Python program or a folder with one, which draws with matplotlib. Throws
/// files::EnvironmentError with its last line of output, or how to get python3, and behind it
/// `otherwise`: what works without.
void run_script(const std::string& name, const std::vector<std::string>& arguments,
                const std::string& otherwise);

}  // namespace axelram::commands
