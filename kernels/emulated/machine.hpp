#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

/// One block at a time on one CPU thread: every thread of the block is a fiber, which runs until it
/// must wait for others. Which of those that can run goes next is drawn from a seeded generator, so
/// that a missing barrier shows as a wrong result. A block that cannot proceed, because threads
/// wait at different barriers or have ended, throws DeviceError.
namespace axelram::kernels::emulated {

/// Content of memory that was never written.
constexpr unsigned char kPattern = 0xCB;

struct Block {
  unsigned x, y, z, threads, grid_x, grid_y;
};

/// The running thread's indices.
const Block& block();
unsigned thread();

/// `shared` bytes lie at the end of a separate region, filled with a pattern, so that what lies
/// beyond is found by an address sanitizer.
unsigned char* shared();
std::size_t shared_bytes();

/// Barriers of all threads of the block, and of the warp.
void block_barrier();
void warp_barrier();

/// 256 bytes of each lane of the warp that all lanes may read after warp_barrier(). Two sets
/// alternate, so that one barrier serves an exchange.
void* exchange_buffer();                     ///< the caller's, to be filled before the barrier
const void* exchange_buffer(unsigned lane);  ///< a lane's, after the barrier

/// cp.async: copies become visible at the wait, not before.
void copy_later(void* to, const void* from, std::size_t bytes);
void commit_copies();
void wait_for_copies(std::size_t pending_groups);

/// Runs one block to its end.
void run_block(const Block& block, std::size_t shared_bytes, const std::function<void()>& thread);

/// Seed of the order of threads and blocks; also the environment's AXELRAM_EMULATED_SEED.
void set_seed(std::uint64_t seed);
std::uint64_t draw();

/// Throws DeviceError if a store went past the end of its buffer or before its beginning.
void check_buffers();

}  // namespace axelram::kernels::emulated
