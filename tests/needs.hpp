#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "check.hpp"

/// Test cases that need what the repository does not contain: `TEST_CASE("..." *
/// test::needs_data)`. ctest runs them as tests of their component that are skipped (exit code 77)
/// if it is missing; see doctest_main.cpp.
namespace test {

const doctest::test_suite needs_data("needs data");  // $AXELRAM_DATA names a directory
const doctest::test_suite needs_vocabularies("needs vocabularies");  // $AXELRAM_VOCABULARIES too
const doctest::test_suite needs_yosys("needs yosys");                // yosys on the PATH
const doctest::test_suite needs_qflow("needs qflow");      // the cell library osu018 of qflow
const doctest::test_suite needs_gtkwave("needs gtkwave");  // fst2vcd on the PATH
const doctest::test_suite needs_mpi("needs mpi");          // mpirun, and a build with MPI
const doctest::test_suite needs_script("needs script");    // script(1), which gives a terminal
const doctest::test_suite needs_levels("needs levels");    // a CPU with two instruction sets
const doctest::test_suite needs_root("needs root");        // gives files away
const doctest::test_suite needs_mount("needs mount");      // mounts a file system of its own
const doctest::test_suite needs_smollm2("needs smollm2");  // scripts/get_model smollm2-135m
const doctest::test_suite needs_gemma3("needs gemma3");    // scripts/get_model gemma3-270m
const doctest::test_suite needs_qwen05("needs qwen05");    // scripts/get_model qwen2.5-coder-0.5b
const doctest::test_suite needs_qwen15("needs qwen15");    // scripts/get_model qwen2.5-coder-1.5b

/// The directory $AXELRAM_DATA, for cases marked needs_data.
inline std::string data() { return std::getenv("AXELRAM_DATA"); }

/// Path of a pretrained model in the user's cache, or "" if it is not there.
inline std::string pretrained(const std::string& name) {
  const char* const xdg = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  const bool given = xdg != nullptr && *xdg == '/';
  const std::string cache = given ? xdg : std::string(home == nullptr ? "" : home) + "/.cache";
  std::error_code error;
  for (std::filesystem::directory_iterator entry(cache + "/axelram/models/" + name, error), end;
       !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".gguf") return entry->path().string();
  return "";
}

}  // namespace test
