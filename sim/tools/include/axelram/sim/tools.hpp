#pragma once

#include <functional>
#include <string>
#include <vector>

namespace axelram::sim {

/// A program of others.
struct Tool {
  const char* name;     ///< on the PATH
  const char* title;    ///< what stands in front of its version
  const char* version;  ///< the option that prints its version
  const char* least;    ///< the lowest version that serves
  const char* package;  ///< of Debian 12, where it serves
  const char* home;     ///< has the latest version
};

inline constexpr Tool kVerilator = {"verilator", "Verilator", "--version",
                                    "5.006",     "verilator", "https://verilator.org"};
inline constexpr Tool kCompiler = {"g++", "GCC", "-dumpversion", "8", "g++", "https://gcc.gnu.org"};
inline constexpr Tool kNinja = {"ninja", "Ninja",       "--version",
                                "1",     "ninja-build", "https://ninja-build.org"};
inline constexpr Tool kYosys = {"yosys", "Yosys", "-V",
                                "0.23",  "yosys", "https://github.com/YosysHQ/oss-cad-suite-build"};
inline constexpr Tool kPython = {
    "python3", "Python", "--version", "3.9", "python3-matplotlib", "https://www.python.org"};

/// A call runs in the locale C, without input.
struct ToolCall {
  std::vector<std::string> arguments;
  /// Where it runs and keeps temporary files, so that they go with the folder; "": here.
  std::string folder = {};
  std::string subject = {};  ///< what it works on, for messages
  /// Receives each line of standard output as it comes; may be empty.
  std::function<void(const std::string&)> line = {};
};

/// How a call ended. The streams are apart: a warning on one is no answer on the other.
struct ToolEnd {
  int status = 0;  ///< exit code, or the negative number of the signal that ended it
  std::string out, err;
};

/// Path of a program on the PATH, or "".
std::string find_tool(const std::string& name);

/// The line in which a tool tells its version, once per program and path. Throws
/// files::EnvironmentError if the tool is not on the PATH, fails, prints nothing, or is older than
/// what serves; a version without a number serves.
std::string tool_version(const Tool& tool);

/// Runs a tool whose version serves; its exit code is the caller's to look at.
ToolEnd call_tool(const Tool& tool, const ToolCall& call);

/// The same, and throws files::EnvironmentError with what the tool complains of if it fails.
/// Returns its standard output.
std::string run_tool(const Tool& tool, const ToolCall& call);

/// run_tool of a tool that prints something whenever it has worked: throws if it prints nothing.
std::string ask_tool(const Tool& tool, const ToolCall& call);

/// The last line of standard error, else of standard output, that is not blank; warnings of the
/// loader apart. "" if there is none.
std::string last_words(const ToolEnd& end);

/// Says how a call of `what` failed: its exit code with what it complains of, or the signal that
/// ended it with what it printed on standard error.
std::string failure(const std::string& what, const ToolEnd& end);

/// Throws files::EnvironmentError that the tool wrote no `file`, unless the file is there and not
/// empty. `file`: in the folder of the call.
void require_written(const Tool& tool, const ToolCall& call, const std::string& file);

}  // namespace axelram::sim
