#include "emulated/machine.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "axelram/kernels/device.hpp"
#include "emulated/fiber.hpp"

namespace axelram::kernels::emulated {
namespace {

constexpr unsigned kLanes = 32;
constexpr std::size_t kExchangeBytes = 256;

enum class State { ready, at_warp, at_block, ended };

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

struct Thread {
  std::unique_ptr<Fiber> fiber;
  State state = State::ready;
  unsigned exchanges = 0;
  std::vector<Copy> open;
  std::vector<std::vector<Copy>> groups;
};

/// The block that runs, and the fibers, which outlive it.
struct Machine {
  Block block{};
  unsigned current = 0;
  const std::function<void()>* body = nullptr;
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<unsigned> ready;
  std::vector<std::array<std::array<unsigned char, kExchangeBytes>, 2>> buffers;
  std::vector<unsigned char> shared_memory;
  unsigned char* shared = nullptr;
  std::size_t shared_bytes = 0;
  std::exception_ptr failure;
  std::uint64_t random = 1;

  Thread& me() { return *threads[current]; }
  void make_ready(unsigned first, unsigned count, State waiting);
  void release(unsigned first, unsigned count, State waiting);
  void wait(State state, unsigned first, unsigned count);
  void run_thread();
};

Machine& machine() {
  static thread_local Machine instance;
  static thread_local const bool seeded = [] {
    if (const char* seed = std::getenv("AXELRAM_EMULATED_SEED"))
      instance.random = std::strtoull(seed, nullptr, 10);
    return true;
  }();
  static_cast<void>(seeded);
  return instance;
}

void Machine::make_ready(unsigned first, unsigned count, State waiting) {
  for (unsigned i = first; i < first + count; ++i) {
    if (threads[i]->state != waiting) continue;
    threads[i]->state = State::ready;
    ready.push_back(i);
  }
}

/// Lets threads go on once each of them waits, or, at a block's barrier, has ended.
void Machine::release(unsigned first, unsigned count, State waiting) {
  for (unsigned i = first; i < first + count; ++i) {
    const State state = threads[i]->state;
    if (state != waiting && !(waiting == State::at_block && state == State::ended)) return;
  }
  make_ready(first, count, waiting);
}

void Machine::wait(State state, unsigned first, unsigned count) {
  me().state = state;
  release(first, count, state);
  me().fiber->suspend();
}

void Machine::run_thread() {
  try {
    (*body)();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  me().state = State::ended;
  release(0, block.threads, State::at_block);
}

std::string where(const Block& b, unsigned thread) {
  return "block (" + std::to_string(b.x) + ", " + std::to_string(b.y) + ", " + std::to_string(b.z) +
         "), thread " + std::to_string(thread);
}

}  // namespace

const Block& block() { return machine().block; }
unsigned thread() { return machine().current; }
unsigned char* shared() { return machine().shared; }
std::size_t shared_bytes() { return machine().shared_bytes; }

void block_barrier() { machine().wait(State::at_block, 0, machine().block.threads); }
void warp_barrier() {
  Machine& m = machine();
  m.wait(State::at_warp, m.current / kLanes * kLanes, kLanes);
}

void* exchange_buffer() {
  Machine& m = machine();
  return m.buffers[m.current][++m.me().exchanges % 2].data();
}
const void* exchange_buffer(unsigned lane) {
  Machine& m = machine();
  return m.buffers[m.current / kLanes * kLanes + lane][m.me().exchanges % 2].data();
}

void copy_later(void* to, const void* from, std::size_t bytes) {
  std::memset(to, kPattern, bytes);
  machine().me().open.push_back({to, from, bytes});
}
void commit_copies() {
  Thread& t = machine().me();
  t.groups.push_back(std::move(t.open));
  t.open.clear();
}
void wait_for_copies(std::size_t pending_groups) {
  Thread& t = machine().me();
  while (t.groups.size() > pending_groups) {
    for (const Copy& c : t.groups.front()) std::memcpy(c.to, c.from, c.bytes);
    t.groups.erase(t.groups.begin());
  }
}

void set_seed(std::uint64_t seed) { machine().random = seed; }
std::uint64_t draw() {
  // splitmix64
  std::uint64_t z = machine().random += 0x9E3779B97F4A7C15U;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
  z = (z ^ z >> 27) * 0x94D049BB133111EBU;
  return z ^ z >> 31;
}

void run_block(const Block& block, std::size_t shared_bytes, const std::function<void()>& body) {
  Machine& m = machine();
  m.block = block;
  m.body = &body;
  m.failure = nullptr;
  m.shared_memory.assign(shared_bytes + 128, kPattern);
  m.shared_memory.shrink_to_fit();
  // The end of the region is the end of an allocation, as far as 128-byte alignment allows.
  auto* const base = m.shared_memory.data();
  m.shared = base + (128 - reinterpret_cast<std::uintptr_t>(base) % 128) % 128;
  m.shared_bytes = shared_bytes;
  m.buffers.resize(std::max<std::size_t>(m.buffers.size(), block.threads));
  while (m.threads.size() < block.threads) {
    m.threads.push_back(std::make_unique<Thread>());
    m.threads.back()->fiber = std::make_unique<Fiber>([] { machine().run_thread(); });
  }
  m.ready.clear();
  for (unsigned i = 0; i < block.threads; ++i) {
    Thread& t = *m.threads[i];
    t.state = State::ready;
    t.open.clear();
    t.groups.clear();
    t.exchanges = 0;
    t.fiber->restart();
    m.ready.push_back(i);
  }
  while (!m.ready.empty() && !m.failure) {
    std::swap(m.ready[draw() % m.ready.size()], m.ready.back());
    m.current = m.ready.back();
    m.ready.pop_back();
    m.me().fiber->resume();
  }
  if (m.failure) std::rethrow_exception(m.failure);
  for (unsigned i = 0; i < block.threads; ++i) {
    const Thread& t = *m.threads[i];
    if (t.state != State::ended)
      throw DeviceError(where(block, i) + " waits for threads that have ended or wait elsewhere");
    if (!t.open.empty() || !t.groups.empty())
      throw DeviceError(where(block, i) + " ended with asynchronous copies under way");
  }
}

}  // namespace axelram::kernels::emulated
