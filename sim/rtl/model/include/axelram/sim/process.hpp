#pragma once

#include <functional>
#include <string>

namespace axelram::sim {

/// Text quoted as one word of a shell command.
std::string quoted(const std::string& text);

/// Runs a shell command, calls `line` for each line of its output, and returns its exit status.
int run_command(const std::string& command, const std::function<void(const std::string&)>& line);

std::string first_line(const std::string& command);

/// Throws files::EnvironmentError with the package to install if a tool is missing.
void require_tool(const std::string& tool);

}  // namespace axelram::sim
