#include <cstdint>
#include <vector>

#include "check.hpp"
#include "device/launch.cuh"

using namespace axelram::kernels;

// The emulator must find what a GPU would do wrong, or these kernels' tests prove little.
namespace {

AXELRAM_KERNEL void reverse(std::uint32_t* values, bool synchronized) {
  auto* const shared = shared_memory<std::uint32_t>();
  shared[thread_index()] = values[thread_index()];
  if (synchronized) sync_block();
  values[thread_index()] = shared[block_threads() - 1 - thread_index()];
}

AXELRAM_KERNEL void diverge() {
  if (lane_index() < 7) sync_warp();
}

AXELRAM_KERNEL void write_beside(std::uint32_t* values) { values[thread_index()] = 1; }

AXELRAM_KERNEL void copy_without_waiting(const std::uint32_t* from, std::uint32_t* to, bool wait) {
  auto* const shared = shared_memory<std::uint32_t>();
  copy_async4(shared + thread_index(), from + thread_index());
  commit_async();
  if (wait) wait_async<0>();
  to[thread_index()] = shared[thread_index()];
  wait_async<0>();
}

AXELRAM_KERNEL void load_unaligned(const std::uint32_t* from) {
  load(reinterpret_cast<const Words4*>(from + 1));
}

AXELRAM_KERNEL void multiply(const std::int8_t* a, const std::int8_t* b, std::int32_t* c) {
  const unsigned g = lane_index() / 4, t = lane_index() % 4;
  std::uint32_t fa[4], fb[2];
  std::int32_t fc[4] = {};
  for (unsigned i = 0; i < 4; ++i)
    std::memcpy(&fa[i], a + (g + 8 * (i % 2)) * 32 + 16 * (i / 2) + 4 * t, 4);
  for (unsigned i = 0; i < 2; ++i) std::memcpy(&fb[i], b + g * 32 + 16 * i + 4 * t, 4);
  mma_s8(fc, fa, fb);
  for (unsigned i = 0; i < 4; ++i) c[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2] = fc[i];
}

}  // namespace

TEST_CASE("emulator: a barrier orders shared memory, and a missing one shows") {
  Stream stream;
  std::vector<std::uint32_t> values(128);
  for (std::uint32_t i = 0; i < 128; ++i) values[i] = i;
  for (const bool synchronized : {true, false}) {
    CASE(synchronized);
    const Buffer<std::uint32_t> buffer(stream, values);
    launch(stream, {"reverse", "[128]", 1, 1, 1, 128, 512}, reverse, buffer.data(), synchronized);
    const std::vector<std::uint32_t> reversed(values.rbegin(), values.rend());
    CHECK((buffer.download(stream) == reversed) == synchronized);
  }
}

TEST_CASE("emulator: what no GPU could go on with is an error that names the kernel") {
  Stream stream;
  CHECK_THROWS_WITH(launch(stream, {"diverge", "[]", 1, 1, 1, 32}, diverge),
                    "diverge([]): block (0, 0, 0), thread 0 waits for threads that have ended or "
                    "wait elsewhere");
  {
    const Buffer<std::uint32_t> small(31);
    CHECK_THROWS_WITH(
        launch(stream, {"write_beside", "[31]", 1, 1, 1, 32}, write_beside, small.data()),
        "a kernel wrote beside a buffer of 124 bytes");
  }
  const Buffer<std::uint32_t> words(64);
  CHECK_THROWS_AS(
      launch(stream, {"load_unaligned", "[]", 1, 1, 1, 32}, load_unaligned, words.data()),
      DeviceError);
  CHECK_THROWS_AS(launch(stream, {"diverge", "[]", 1, 1 << 20, 1, 32}, diverge), DeviceError);
  CHECK_THROWS_AS(launch(stream, {"diverge", "[]", 1, 1, 1, 33}, diverge), DeviceError);
  CHECK_THROWS_AS(Buffer<std::uint64_t>(std::size_t{1} << 60), OutOfMemory);
  CHECK_NOTHROW(launch(stream, {"diverge", "[0]", 0, 1, 1, 32}, diverge));
}

TEST_CASE("emulator: asynchronous copies arrive when they are waited for, not before") {
  Stream stream;
  const std::vector<std::uint32_t> values(32, 7);
  const Buffer<std::uint32_t> from(stream, values), to(32);
  for (const bool wait : {true, false}) {
    CASE(wait);
    launch(stream, {"copy_without_waiting", "[32]", 1, 1, 1, 32, 128}, copy_without_waiting,
           from.data(), to.data(), wait);
    CHECK((to.download(stream) == values) == wait);
  }
}

TEST_CASE("emulator: integer tensor cores multiply matrices") {
  Stream stream;
  std::vector<std::int8_t> a(16 * 32), b(8 * 32);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int8_t>(i * 37 + 5);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::int8_t>(i * 91 + 3);
  const Buffer<std::int8_t> da(stream, a), db(stream, b);
  const Buffer<std::int32_t> dc(128);
  launch(stream, {"multiply", "[16, 8, 32]", 1, 1, 1, 32}, multiply, da.data(), db.data(),
         dc.data());
  const std::vector<std::int32_t> c = dc.download(stream);
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      CASE(row, column);
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < 32; ++k) sum += a[row * 32 + k] * b[column * 32 + k];
      REQUIRE(c[row * 8 + column] == sum);
    }
}
