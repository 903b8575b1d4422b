#include "axelram/sim/tools.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "tools/process.hpp"
#include "tools/version.hpp"

namespace axelram::sim {
namespace {

namespace fs = std::filesystem;

/// What the loader says if a library that is to be preloaded is missing.
constexpr const char* kLoader = "ERROR: ld.so: ";
/// Parts of lines that report errors.
constexpr const char* kErrors[] = {"%Error", "rror: ", "ERROR: "};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (line.find_first_not_of(" \t") != std::string::npos && line.rfind(kLoader, 0) != 0)
      lines.push_back(line);
  return lines;
}

/// The first line that reports an error, else the last words.
std::string complaint(const ToolEnd& end) {
  for (const std::string* stream : {&end.err, &end.out})
    for (const std::string& line : lines_of(*stream))
      for (const char* error : kErrors)
        if (line.find(error) != std::string::npos) return line;
  return last_words(end);
}

std::string installing(const Tool& tool) {
  return std::string("; run scripts/setup or apt-get install ") + tool.package;
}

/// Where a later version comes from. The package manager may have been asked already.
std::string later(const Tool& tool, const std::string& path) {
  return std::string(", such as that of Debian 12 or ") + tool.home + ", in front of " +
         files::printable(fs::path(path).parent_path().string()) + " on the PATH";
}

std::string on_subject(const ToolCall& call) {
  return call.subject.empty() ? "" : " on " + call.subject;
}

void check(const std::string& what, const ToolEnd& end) {
  if (end.status != 0) throw files::EnvironmentError(failure(what, end));
}

ToolEnd start(const std::string& path, const ToolCall& call) {
  ToolEnd end;
  std::vector<std::string> words = {path};
  words.insert(words.end(), call.arguments.begin(), call.arguments.end());
  const auto keep = [&](const std::string& line) {
    end.out += line + "\n";
    if (call.line) call.line(line);
  };
  end.status = run_process(words, call.folder, keep,
                           [&](const std::string& line) { end.err += line + "\n"; });
  return end;
}

std::string path_of(const Tool& tool) {
  std::string path = find_tool(tool.name);
  if (path.empty())
    throw files::EnvironmentError(std::string(tool.name) + " is not installed" + installing(tool));
  return path;
}

std::string asked_version(const Tool& tool, const std::string& path) {
  const std::string question = std::string(tool.name) + " " + tool.version;
  ToolCall call;
  call.arguments = {tool.version};
  const ToolEnd end = start(path, call);
  check(question, end);
  const Version version = version_in(end.out, tool.title);
  if (version.line.empty())
    throw files::EnvironmentError(question + " printed nothing; see that " +
                                  files::printable(path) + " is " + tool.title);
  if (!serves(version.number, tool.least))
    throw files::EnvironmentError(std::string(tool.title) + " " + version.number + "; " +
                                  tool.least + " or later is needed" + later(tool, path));
  return version.line;
}

}  // namespace

std::string find_tool(const std::string& name) {
  const char* const given = std::getenv("PATH");
  std::istringstream folders(given == nullptr ? "/usr/local/bin:/usr/bin:/bin" : given);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path path = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0)
      return fs::absolute(path).string();
  }
  return "";
}

std::string tool_version(const Tool& tool) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::string path = path_of(tool);
  const std::lock_guard lock(mutex);
  const auto found = known.find(path);
  if (found != known.end()) return found->second;
  return known[path] = asked_version(tool, path);
}

ToolEnd call_tool(const Tool& tool, const ToolCall& call) {
  tool_version(tool);
  return start(path_of(tool), call);
}

std::string run_tool(const Tool& tool, const ToolCall& call) {
  ToolEnd end = call_tool(tool, call);
  check(tool.name + on_subject(call), end);
  return std::move(end.out);
}

std::string ask_tool(const Tool& tool, const ToolCall& call) {
  std::string out = run_tool(tool, call);
  if (out.find_first_not_of(" \t\n") == std::string::npos)
    throw files::EnvironmentError(std::string(tool.title) + " printed nothing" + on_subject(call) +
                                  "; does '" + tool.name + " " + tool.version + "' answer?");
  return out;
}

std::string last_words(const ToolEnd& end) {
  for (const std::string* stream : {&end.err, &end.out})
    if (const std::vector<std::string> lines = lines_of(*stream); !lines.empty())
      return lines.back();
  return "";
}

std::string failure(const std::string& what, const ToolEnd& end) {
  const bool ended = end.status < 0;
  // The output of a tool that a signal ended tells how far it was, and not why it ended.
  std::string text =
      files::printable(complaint(ended ? ToolEnd{end.status, "", end.err} : end), 500);
  if (ended)
    return what + " was ended by signal " + std::to_string(-end.status) + " (" +
           strsignal(-end.status) + ")" + (text.empty() ? "" : ": " + text);
  if (text.empty()) text = "it printed nothing";
  return what + " failed with status " + std::to_string(end.status) + ": " + text;
}

void require_written(const Tool& tool, const ToolCall& call, const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(fs::path(call.folder) / file, error);
  if (error || size == 0)
    throw files::EnvironmentError(std::string(tool.title) + " wrote no " + file + on_subject(call) +
                                  ", and reported no error; is there space left?");
}

}  // namespace axelram::sim
