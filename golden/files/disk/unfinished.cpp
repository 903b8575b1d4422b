#include "axelram/files/unfinished.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>

namespace axelram::files {
namespace {

struct Slot {
  std::atomic<bool> taken{false}, watched{false};
  pid_t group = 0;  // 0: `path` counts
  std::array<char, PATH_MAX> path{};
};

std::array<Slot, 64> slots;

int take() {
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (!slots[i].taken.exchange(true)) return static_cast<int>(i);
  return -1;
}

Slot& slot_at(int index) { return slots[static_cast<std::size_t>(index)]; }

// Functions up to end_by_bus_error() run in signal handlers, where signal-safety(7) holds.

/// Removes a folder, with folders inside it down to `depth`. readdir(3) allocates, getdents64(2)
/// does not.
void remove_folder(int parent, const char* name, int depth) {
  const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (folder < 0) return;
  alignas(dirent64) std::array<char, 2048> entries{};
  for (;;) {
    const long bytes = ::syscall(SYS_getdents64, folder, entries.data(), entries.size());
    if (bytes <= 0) break;
    for (long at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      at += entry->d_reclen;
      const bool up = std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0;
      if (!up && ::unlinkat(folder, entry->d_name, 0) != 0 && errno == EISDIR && depth > 0)
        remove_folder(folder, entry->d_name, depth - 1);
    }
  }
  ::close(folder);
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

/// Tells a group of processes to end, and waits a while until all have, as they write files.
void end_group(pid_t group) {
  ::kill(-group, SIGTERM);
  for (int i = 0; i < 200 && ::kill(-group, 0) == 0; ++i) {
    while (::waitpid(-group, nullptr, WNOHANG) > 0) continue;
    const timespec pause = {0, 10'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

void remove_unfinished() {
  constexpr int kDepth = 8;
  for (Slot& slot : slots)
    if (slot.watched.load(std::memory_order_acquire) && slot.group != 0) end_group(slot.group);
  for (Slot& slot : slots)
    if (slot.watched.load(std::memory_order_acquire) && slot.group == 0 &&
        ::unlink(slot.path.data()) != 0 && errno == EISDIR)
      remove_folder(AT_FDCWD, slot.path.data(), kDepth);
}

extern "C" void end_by(int signal) {
  remove_unfinished();
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // delivered when the handler returns
}

extern "C" void end_by_bus_error(int) {
  remove_unfinished();
  constexpr char kMessage[] =
      "axelram: a file was cut while it was read, or a disk is full; nothing was written\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  ::_exit(3);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  struct sigaction before = {};
  if (::sigaction(signal, nullptr, &before) != 0) return;
  // nohup and shells that start jobs in the background have signals ignored: they stay so.
  if (before.sa_handler == SIG_IGN) return;
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

Unfinished::Unfinished(const std::string& path) : slot_(take()) {
  if (slot_ < 0) return;
  Slot& slot = slot_at(slot_);
  if (path.size() >= slot.path.size()) return;
  slot.group = 0;
  std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
  slot.watched.store(true, std::memory_order_release);
}

Unfinished::Unfinished(pid_t group) : slot_(take()) {
  if (slot_ < 0) return;
  slot_at(slot_).group = group;
  slot_at(slot_).watched.store(true, std::memory_order_release);
}

Unfinished::~Unfinished() {
  if (slot_ < 0) return;
  slot_at(slot_).watched.store(false, std::memory_order_release);
  slot_at(slot_).taken.store(false, std::memory_order_release);
}

void handle_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) handle(signal, end_by);
  handle(SIGBUS, end_by_bus_error);
  for (const int signal : {SIGPIPE, SIGXFSZ}) handle(signal, SIG_IGN);
}

}  // namespace axelram::files
