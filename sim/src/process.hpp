#pragma once

#include <functional>
#include <string>

namespace axelram::sim {

/// `text` as one word of a shell command.
std::string quoted(const std::string& text);

/// Runs a shell command, handing every line it prints to `line`; returns its exit status.
int run_command(const std::string& command, const std::function<void(const std::string&)>& line);

std::string first_line(const std::string& command);

/// Throws files::EnvironmentError, saying how to get it, where a tool is not installed.
void require_tool(const std::string& tool);

}  // namespace axelram::sim
