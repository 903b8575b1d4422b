#pragma once

#include "axelram/sim/build.hpp"
#include "cli/program.hpp"

namespace test {

/// Which entry of the cache a run with hardware asks for: without a compiler only its lock appears.
inline std::string cache_entry(const TempDir& axelram, const std::string& config, bool waves) {
  namespace fs = std::filesystem;
  const TemporaryFolder probe;
  const std::string run = "run " + config + " trace.safetensors -o none --engine rtl";
  REQUIRE(axelram(run + (waves ? " --waves none.fst" : ""),
                  "PATH=/nowhere AXELRAM_CACHE=" + quoted(probe / "cache"))
              .code == 3);
  for (const auto& entry : fs::directory_iterator(probe / "cache"))
    if (entry.path().extension() == ".lock") return entry.path().stem().string();
  FAIL("no lock in the cache");
  return "";
}

/// Writes other.yaml, small.yaml with other signs, and for it the hardware of small.yaml into the
/// folder `cache`. Returns the environment in which the program takes it from there.
inline std::string put_other_hardware(const TempDir& axelram) {
  namespace fs = std::filesystem;
  axelram.put("other.yaml", axelram.content("small.yaml") + "rotation: {seed: 43}\n");
  const std::string run = "run small.yaml trace.safetensors --force -o small --engine rtl";
  for (const bool waves : {false, true}) {
    CASE(waves);
    REQUIRE(axelram(run + (waves ? " --waves small.fst" : "")));
    const fs::path right = fs::path(axelram::sim::cache_directory()) /
                           cache_entry(axelram, "small.yaml", waves) / "model.so";
    REQUIRE(fs::exists(right));
    const fs::path wrong =
        fs::path(axelram.at("cache")) / cache_entry(axelram, "other.yaml", waves);
    fs::create_directories(wrong);
    fs::copy_file(right, wrong / "model.so");
  }
  return "AXELRAM_CACHE=$PWD/cache";
}

}  // namespace test
