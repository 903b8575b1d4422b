#include "process.hpp"

#include <sys/wait.h>

#include <cstdio>

#include "axelram/files/errors.hpp"

namespace axelram::sim {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

int run_command(const std::string& command, const std::function<void(const std::string&)>& line) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw files::EnvironmentError("no process can be started");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c != '\n' && c != '\r') {
      text += static_cast<char>(c);
      continue;
    }
    line(text);
    text.clear();
  }
  if (!text.empty()) line(text);
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

std::string first_line(const std::string& command) {
  std::string first;
  run_command(command, [&](const std::string& line) {
    if (first.empty()) first = line;
  });
  return first;
}

void require_tool(const std::string& tool) {
  if (run_command("command -v " + tool + " >/dev/null", [](const std::string&) {}) != 0)
    throw files::EnvironmentError(tool +
                                  " is not installed; run scripts/setup or apt-get install " +
                                  (tool == "ninja" ? "ninja-build" : tool));
}

}  // namespace axelram::sim
