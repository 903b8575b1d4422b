#pragma once

#include <functional>
#include <string>

namespace axelram::report {

/// Runs a script of Yosys in a folder and calls `line` for each line of its output. Words of the
/// shell in the script are expanded. `subject` is what a message names. Throws
/// files::EnvironmentError with the last line of the output if Yosys is missing or fails.
void run_yosys(const std::string& folder, const std::string& script, const std::string& subject,
               const std::function<void(const std::string&)>& line);

}  // namespace axelram::report
