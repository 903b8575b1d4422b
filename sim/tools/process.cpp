#include "tools/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "axelram/files/errors.hpp"
#include "axelram/files/unfinished.hpp"

namespace axelram::sim {
namespace {

[[noreturn]] void fail(const std::string& program, int error) {
  throw files::EnvironmentError(program + " cannot be started (" + std::strerror(error) + ")");
}

/// The variables of this program, but for the language of messages and the place of temporary
/// files.
std::vector<std::string> environment_in(const std::string& folder) {
  std::vector<std::string> variables = {"LC_ALL=C"};
  if (!folder.empty()) variables.push_back("TMPDIR=" + std::filesystem::absolute(folder).string());
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string variable = *each;
    const bool language = variable.rfind("LC_ALL=", 0) == 0;
    const bool temporary = !folder.empty() && variable.rfind("TMPDIR=", 0) == 0;
    if (!language && !temporary) variables.push_back(variable);
  }
  return variables;
}

/// As posix_spawn(3) takes it.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// The reading end of a stream of a program.
class Stream {
 public:
  explicit Stream(const TakeLine& take) : take_(take) {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) fail("a program", errno);
  }
  ~Stream() {
    close_writing();
    close_reading();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  bool ended() const { return ends_[0] < 0; }
  void close_writing() { close(&ends_[1]); }
  void close_reading() { close(&ends_[0]); }

  /// Passes on what has come.
  void take() {
    std::array<char, 4096> data{};
    const ssize_t count = ::read(reading(), data.data(), data.size());
    if (count < 0 && errno == EINTR) return;
    if (count < 0) fail("a program", errno);
    for (ssize_t i = 0; i < count; ++i) {
      const char c = data[static_cast<std::size_t>(i)];
      if (c == '\n' || c == '\r')
        pass_line();
      else
        line_ += c;
    }
    if (count > 0) return;
    if (!line_.empty()) pass_line();
    close_reading();
  }

 private:
  static void close(int* end) {
    if (*end >= 0) ::close(*end);
    *end = -1;
  }
  void pass_line() {
    const std::string line = std::move(line_);
    line_.clear();
    if (take_) take_(line);
  }

  const TakeLine& take_;
  std::array<int, 2> ends_ = {-1, -1};
  std::string line_;
};

/// A started program.
class Process {
 public:
  Process(std::vector<std::string> words, const std::string& folder, const TakeLine& out,
          const TakeLine& err)
      : out_(out), err_(err) {
    std::vector<std::string> variables = environment_in(folder);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out_.writing(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, err_.writing(), STDERR_FILENO);
    if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;  // ignored signals would stay ignored
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    const int error = ::posix_spawn(&process_, words.front().c_str(), &files, &attributes,
                                    pointers_to(words).data(), pointers_to(variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) fail(words.front(), error);
    started_ = true;
    out_.close_writing();
    err_.close_writing();
  }
  ~Process() {
    if (!started_) return;
    out_.close_reading();  // it would wait for a stream that nothing reads
    err_.close_reading();
    wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t group() const { return process_; }

  /// Passes on both streams as they come, to their ends.
  void take() {
    while (!out_.ended() || !err_.ended()) {
      std::array<pollfd, 2> states = {{{out_.reading(), POLLIN, 0}, {err_.reading(), POLLIN, 0}}};
      if (::poll(states.data(), states.size(), -1) < 0 && errno != EINTR) fail("a program", errno);
      if (!out_.ended() && states[0].revents != 0) out_.take();
      if (!err_.ended() && states[1].revents != 0) err_.take();
    }
  }

  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    started_ = false;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  Stream out_, err_;
  pid_t process_ = 0;
  bool started_ = false;
};

}  // namespace

int run_process(const std::vector<std::string>& words, const std::string& folder,
                const TakeLine& out, const TakeLine& err) {
  Process process(words, folder, out, err);
  const files::Unfinished unfinished(process.group());
  process.take();
  return process.wait();
}

}  // namespace axelram::sim
