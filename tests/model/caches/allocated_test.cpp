#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "axelram/files/safetensors.hpp"
#include "support.hpp"

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
    CAPTURE(row.quantizer);
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
