#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "axelram/files/safetensors.hpp"
#include "support.hpp"
#include "tiers/tiered_reading.hpp"

using test::Floats;

namespace {

std::atomic<std::size_t> live{0};  ///< bytes that operator new has given out

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  live += malloc_usable_size(memory);
  return memory;
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* memory) noexcept {
  if (memory != nullptr) live -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

TEST_CASE("keys of the macro take the bytes of their records and no others") {
  const test::TemporaryFolder folder;
  std::vector<std::int32_t> high;
  for (int i = 0; i < 64; ++i) high.push_back(2 * i);
  axelram::files::write_safetensors(
      folder / "high",
      {axelram::files::view("high", axelram::files::DataType::i32, {1, 1, 64}, high)}, {}, false);
  const std::string split = "{scale: unbiased}\nsplit: {channels: high, bits: ";
  struct Row {
    std::string macro, quantizer;
    std::size_t bytes;
  };
  for (const Row& row : {Row{"3", "{}", 50},
                         {"2", "{kind: prod}", 36},
                         {"3", "{kind: prod}", 52},
                         {"4", "{kind: prod}", 68},
                         {"3", split + "[3, 1]}", 36},
                         {"3", split + "[3, 2]}", 44},
                         {"3", split + "[4, 2]}", 52},
                         {"3", split + "[4, 3]}", 60}}) {
    CASE(row.quantizer);
    test::put(folder / "c.yaml",
              "macro: {index_bits: " + row.macro + "}\nquantizer: " + row.quantizer + "\n");
    const auto keys = test::cache("axelram:config=" + (folder / "c.yaml"), {1, 1, 128})->keys(0, 0);
    CHECK(keys->bytes_per_token() == static_cast<double>(row.bytes));
    // Vectors that grow have a power of two of rows.
    constexpr std::size_t kRows = 16384, kTogether = 64;
    const Floats rows = test::gaussian(kTogether * 128, 1);
    const auto write = [&](std::size_t count) {
      for (std::size_t i = 0; i < count; i += kTogether) keys->write(rows.data(), kTogether);
      return live.load();
    };
    const std::size_t before = write(kRows), grown = write(kRows) - before;
    CHECK(grown >= kRows * row.bytes);
    CHECK(grown < kRows * row.bytes + 4096);  // a page
  }
}

TEST_CASE("tiers take little more than their formula, and count all of it") {
  constexpr std::size_t kTokens = 1200, kSome = 400, kDim = 128;
  const Floats rows = test::gaussian(kTokens * kDim, 2);
  for (const std::string text : {"kivi:bits=2,hot=1,step=1", "kivi:bits=2,hot=1,step=8",
                                 "kivi:bits=2,hot=1,step=32", "kivi:bits=2,hot=33,step=1",
                                 "tiered:hot=32,warm=64,step=1", "tiered:hot=32,warm=64,step=8"}) {
    CASE(text);
    const auto values = test::cache("keys=f32;values=" + text, {1, 1, kDim})->values(0, 0);
    const auto& tiers = dynamic_cast<const axelram::caches::TieredValues&>(*values).rows();
    const auto write = [&](std::size_t n) {
      values->write(&rows[n * kDim], 1);
      values->settle();
    };
    for (std::size_t n = 0; n < kTokens; ++n) write(n);  // what stays for the next sequence
    values->begin(1);
    const std::size_t before = live;
    double worst = 0, uncounted = 0;
    for (std::size_t n = 0; n < kTokens; ++n) {
      write(n);
      const auto taken = static_cast<double>(live - before);
      const auto counted = static_cast<double>(tiers.allocated());
      if (n + 1 < kSome) continue;
      worst = std::max(worst, taken / values->bytes(n + 1));
      uncounted = std::max(uncounted, (taken - counted) / taken);
    }
    CHECK(worst < 1.15);
    CHECK(uncounted < 0.05);  // malloc rounds sizes up
  }
}
