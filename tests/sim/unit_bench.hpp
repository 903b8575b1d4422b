#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "axelram/rtl/generator.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/sim/build.hpp"
#include "mutants.hpp"

namespace axelram::sim {

/// Modules of rtl/ under a bench of a test, Verilated: `name`_io.hpp has the inputs and outputs of
/// a cycle, harness/`name`.cpp clocks the bench.
struct UnitBench {
  std::string name;                  ///< of the bench, its files, and of the function `name`_run
  std::string text;                  ///< SystemVerilog of the bench
  std::vector<std::string> modules;  ///< files, of any list of modules
};

/// Outputs of the bench, one element for each of the inputs. `mutant`: a fault planted in a module,
/// or nullptr.
template <typename Input, typename Output>
std::vector<Output> run_unit(const UnitBench& bench, const std::vector<Input>& inputs,
                             const Mutant* mutant = nullptr) {
  const auto read_text = [](const std::string& name) {
    std::ifstream in(std::string(AXELRAM_SOURCE) + "/tests/sim/" + name);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  std::vector<rtl::GeneratedFile> files;
  std::string list = "+incdir+rtl/common\n";
  std::vector<rtl::Module> all = rtl::modules();
  const std::vector<rtl::Module>& baseline = rtl::baseline_modules();
  all.insert(all.end(), baseline.begin(), baseline.end());
  for (const rtl::Module& module : all)
    for (const std::string& wanted : bench.modules) {
      if (module.file != wanted) continue;
      std::string text = module.text;
      if (mutant != nullptr && wanted == mutant->module + std::string(".sv"))
        REQUIRE_MESSAGE(replace_once(&text, mutant->from, mutant->to) == 1, mutant->name);
      files.push_back({rtl::kCommonFolder + wanted, text});
      if (wanted.back() == 'v') list += rtl::kCommonFolder + wanted + "\n";
    }
  REQUIRE(files.size() == bench.modules.size());
  files.push_back({"rtl/" + bench.name + ".sv", bench.text});
  files.push_back({"axelram.f", list + "rtl/" + bench.name + ".sv\n"});
  const ModelSource source{
      files, bench.name, "",
      read_text(bench.name + "_io.hpp") + read_text("harness/" + bench.name + ".cpp")};
  void* const library = dlopen(build_library(source, {}).c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library != nullptr, dlerror());
  const auto run = reinterpret_cast<void (*)(const Input*, Output*, std::size_t)>(
      dlsym(library, (bench.name + "_run").c_str()));
  REQUIRE((run != nullptr));
  std::vector<Output> outputs(inputs.size());
  run(inputs.data(), outputs.data(), inputs.size());
  dlclose(library);
  return outputs;
}

}  // namespace axelram::sim
