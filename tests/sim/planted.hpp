#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "axelram/rtl/generator.hpp"
#include "axelram/rtl/layout.hpp"
#include "check.hpp"
#include "mutants.hpp"

namespace axelram::sim {

/// Every `stride`-th fault, because each one compiles a macro. All faults if AXELRAM_PLANTED=all is
/// in the environment (scripts/verify/mutation_test).
inline std::vector<Mutant> sample(const std::vector<Mutant>& mutants, std::size_t stride) {
  const char* const wanted = std::getenv("AXELRAM_PLANTED");
  if (wanted != nullptr && std::string(wanted) == "all") stride = 1;
  std::vector<Mutant> chosen;
  for (std::size_t i = 0; i < mutants.size(); i += stride) chosen.push_back(mutants[i]);
  return chosen;
}

/// True for the source of a module: one of rtl/common, or one of the macro itself, whose name is
/// that of a common module with the macro's prefix in place of axelram.
inline bool is_source_of(const std::string& path, const std::string& module,
                         const files::Config& config) {
  return path == rtl::kCommonFolder + module + ".sv" ||
         path ==
             "rtl/" + rtl::prefix(config) + module.substr(std::string("axelram").size()) + ".sv";
}

/// The RTL with one fault planted; as `axelram verify` generates it, if none is given.
inline std::vector<rtl::GeneratedFile> planted(const files::Config& config, const Mutant& mutant,
                                               std::vector<rtl::GeneratedFile> generated = {}) {
  if (generated.empty()) generated = rtl::generate_observed(config);
  for (rtl::GeneratedFile& file : generated) {
    if (!is_source_of(file.path, mutant.module, config)) continue;
    REQUIRE_MESSAGE(replace_once(&file.text, mutant.from, mutant.to) == 1, mutant.name);
    return generated;
  }
  FAIL("no module ", mutant.module);
  return {};
}

}  // namespace axelram::sim
