#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "axelram/code.hpp"
#include "axelram/rtl/code_unit.hpp"
#include "axelram/rtl/generator.hpp"
#include "check.hpp"
#include "golden/fields.hpp"
#include "tally.hpp"

namespace axelram {
namespace {

namespace fs = std::filesystem;

// A user of axelram_code.h as its comments describe.
constexpr const char* kUser = R"(
#include "axelram_code.h"
static unsigned parity(uint64_t bits) {
  unsigned ones = 0;
  for (; bits != 0; bits &= bits - 1) ones ^= 1u;
  return ones;
}
uint32_t check_bits(uint64_t data);
int decode(uint64_t* data, uint32_t* check);
uint32_t check_bits(uint64_t data) {
  uint32_t check = 0;
  int j;
  for (j = 0; j < axelram_code_check_bits; ++j)
    check |= (uint32_t)parity(data & axelram_code_parity_masks[j]) << j;
  return check;
}
int decode(uint64_t* data, uint32_t* check) {
  const uint32_t s = check_bits(*data) ^ *check;
  *data ^= axelram_code_data_errors[s];
  *check ^= axelram_code_check_errors[s];
  return axelram_code_statuses[s];
}
)";

// The same tables in constant memory of a GPU.
constexpr const char* kKernel = R"(
#define AXELRAM_CODE_CONST static __constant__ const
#include "axelram_code.h"
__global__ void correct(const uint32_t* syndromes, uint64_t* data) {
  data[threadIdx.x] ^= axelram_code_data_errors[syndromes[threadIdx.x]];
}
)";

// Two macros with their codes in one program.
constexpr const char* kTwoMacros = R"(
#include "small/small_code.h"
#include "Small/Small_code.h"
int main(void) {
  return small_code_n == 24 && Small_code_n == 8 && small_code_statuses[1] != 0 &&
                 sizeof small_code_parity_rows == 24 && sizeof Small_code_parity_rows == 4
             ? 0
             : 1;
}
)";

bool succeeds(const fs::path& folder, const std::string& command) {
  return std::system(("cd '" + folder.string() + "' && " + command).c_str()) == 0;
}

}  // namespace

TEST_CASE("C, C++ and CUDA code with axelram_code.h encodes and decodes as golden does") {
  for (const std::string name : {"hamming74", "hamming84", "golay24", "hsiao_72_64"}) {
    CASE(name);
    const Code code = make_code(name);
    const fs::path folder =
        fs::temp_directory_path() / ("axelram_constants_" + name + "_" + std::to_string(getpid()));
    fs::remove_all(folder);
    rtl::write_generated(rtl::generate_code_unit({name, "algebraic", 0}), folder.string(), true);
    std::ofstream(folder / "user.c") << kUser;
    std::ofstream(folder / "kernel.cu") << kKernel;
    REQUIRE(succeeds(folder,
                     "cc -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror -O1 -fPIC -shared "
                     "user.c -o user.so"));
    CHECK(succeeds(folder,
                   "c++ -std=c++17 -Wall -Wextra -pedantic -Werror -x c++ -fsyntax-only "
                   "user.c"));
    if (succeeds(folder, "command -v nvcc >/dev/null"))
      CHECK(succeeds(folder, "nvcc -std=c++17 -arch=sm_90 -c -o kernel.o kernel.cu"));

    void* library = dlopen((folder / "user.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    const auto check_bits =
        reinterpret_cast<std::uint32_t (*)(std::uint64_t)>(dlsym(library, "check_bits"));
    const auto decode =
        reinterpret_cast<int (*)(std::uint64_t*, std::uint32_t*)>(dlsym(library, "decode"));
    const std::uint64_t data_mask = ~std::uint64_t{0} >> (64 - code.k);
    test::Tally wrong;
    for (std::uint64_t i = 0; i < 100000; ++i) {
      // A product spreads i over all bits; its low bits take every syndrome.
      Word word{i * 0x9E3779B97F4A7C15U & data_mask,
                static_cast<std::uint32_t>(i % code.patterns.size())};
      const Decoded expected = decode_ref(code, word);
      COMPARE(wrong, check_bits(word.data), check_bits_ref(code, word.data), i);
      COMPARE(wrong, decode(&word.data, &word.check), static_cast<int>(expected.status), i);
      COMPARE(wrong, word, expected.word, i);
    }
    CHECK(wrong == 0);
    dlclose(library);
    fs::remove_all(folder);
  }
}

TEST_CASE("constants of two macros are used in one file") {
  const fs::path folder =
      fs::temp_directory_path() / ("axelram_constants_" + std::to_string(getpid()));
  fs::remove_all(folder);
  for (const auto& [name, code] : {std::pair("small", "golay24"), {"Small", "hamming84"}}) {
    const std::string text =
        std::string("macro: {head_dim: 32, name: ") + name +
        "}\nmicroarchitecture: {key_lanes: 4, read_lanes: 8}\necc: {code: " + code + "}\n";
    rtl::write_generated(rtl::generate(files::parse_config(text, "t.yaml", ".")),
                         (folder / name).string(), true);
  }
  std::ofstream(folder / "user.c") << kTwoMacros;
  CHECK(succeeds(folder, "cc -std=c99 -Wall -pedantic user.c -o user && ./user"));
  fs::remove_all(folder);
}

TEST_CASE("code units that there are not are rejected") {
  CHECK_THROWS_AS(rtl::generate_code_unit({"golay23", "algebraic", 0}), std::invalid_argument);
  CHECK_THROWS_AS(rtl::generate_code_unit({"hamming84", "rom", 0}), std::invalid_argument);
  CHECK_THROWS_AS(rtl::generate_code_unit({"golay24", "table", 0}), std::invalid_argument);
  CHECK_THROWS_AS(rtl::generate_code_unit({"golay24", "rom", -1}), std::invalid_argument);
  CHECK_THROWS_AS(rtl::generate_code_unit({"golay24", "rom", 17}), std::invalid_argument);
}

}  // namespace axelram
