#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "axelram/rtl/generator.hpp"
#include "mutants.hpp"

namespace axelram::sim {

/// The generated RTL with one fault planted.
inline std::vector<rtl::GeneratedFile> planted(const files::Config& config, const Mutant& mutant) {
  std::vector<rtl::GeneratedFile> generated = rtl::generate(config);
  for (rtl::GeneratedFile& file : generated) {
    if (file.path != "rtl/" + mutant.module + ".sv") continue;
    const std::size_t at = file.text.find(mutant.from);
    REQUIRE_MESSAGE(at != std::string::npos, mutant.name);
    REQUIRE_MESSAGE(file.text.find(mutant.from, at + 1) == std::string::npos, mutant.name);
    file.text.replace(at, mutant.from.size(), mutant.to);
    return generated;
  }
  FAIL("no module ", mutant.module);
  return {};
}

}  // namespace axelram::sim
