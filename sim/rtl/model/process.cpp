#include "axelram/sim/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "axelram/files/errors.hpp"
#include "axelram/files/unfinished.hpp"

namespace axelram::sim {
namespace {

/// A shell in a process group of its own, so that a signal can end it with all that it started.
class Shell {
 public:
  explicit Shell(const std::string& command) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno);
    output_ = ends[0];
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;  // ignored signals would stay ignored
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::string text = command, shell = "sh", option = "-c";
    std::array<char*, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
    const int error =
        ::posix_spawn(&process_, "/bin/sh", &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    ::close(ends[1]);
    if (error == 0) return;
    ::close(output_);
    fail(error);
  }
  ~Shell() {
    ::close(output_);
    if (process_ > 0) wait();
  }
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  pid_t group() const { return process_; }
  /// Output as it comes; 0 at its end.
  std::size_t read(char* data, std::size_t bytes) const {
    for (;;) {
      const ssize_t count = ::read(output_, data, bytes);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) fail(errno);
    }
  }
  /// Exit status; 1 after a signal.
  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }

 private:
  [[noreturn]] static void fail(int error) {
    throw files::EnvironmentError(std::string("no process can be started (") +
                                  std::strerror(error) + ")");
  }

  int output_ = -1;
  pid_t process_ = 0;
};

}  // namespace

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

int run_command(const std::string& command, const std::function<void(const std::string&)>& line) {
  Shell shell(command);
  const files::Unfinished unfinished(shell.group());
  std::string text;
  std::array<char, 4096> data{};
  for (std::size_t count = shell.read(data.data(), data.size()); count > 0;
       count = shell.read(data.data(), data.size()))
    for (std::size_t i = 0; i < count; ++i) {
      if (data[i] != '\n' && data[i] != '\r') {
        text += data[i];
        continue;
      }
      line(text);
      text.clear();
    }
  if (!text.empty()) line(text);
  return shell.wait();
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
