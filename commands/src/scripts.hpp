#pragma once

#include <functional>
#include <string>
#include <vector>

#include "axelram/files/errors.hpp"

namespace axelram::commands {

/// A file of scripts/ as compiled into the program.
struct Script {
  const char* path;  ///< below scripts/
  const char* text;
};
const std::vector<Script>& scripts();

/// Runs scripts/NAME, a Python program or a folder with one, and calls `line` for each line of its
/// output. Throws files::EnvironmentError with what it complains of, how it ended, or how to get
/// python3, and behind it `otherwise`: what works without.
void run_script(const std::string& name, const std::vector<std::string>& arguments,
                const std::string& otherwise,
                const std::function<void(const std::string&)>& line = {});

/// A run of a program of scripts/ that makes one file of another.
struct ScriptTask {
  std::string name;       ///< of the program
  std::string file;       ///< name of the file that it makes
  std::string otherwise;  ///< what works without, as run_script takes it
  std::function<void(const std::string&)> line = {};
};

/// Bytes of the file that the program makes of one with this text. Throws files::EnvironmentError
/// as run_script does, and if there are none.
std::string made_by(const ScriptTask& task, const std::string& text);

/// The error that the program reported none, although the file that it made is not what it must be;
/// `what` of the file is wrong.
files::EnvironmentError wrong_output(const ScriptTask& task, const std::string& what);

}  // namespace axelram::commands
