#pragma once

#include <string>
#include <vector>

#include "axelram/rtl/generator.hpp"
#include "check.hpp"
#include "mutants.hpp"
#include "verilated_unit.hpp"

namespace axelram::sim {

/// A module of a test around modules of rtl/. Its ports besides clk_i and rst_ni are as wide as all
/// their elements.
template <typename Input, typename Output>
struct UnitBench {
  std::string name;
  std::string body;  ///< between the ports and the end of the module
  std::vector<test::UnitPort> inputs, outputs;

  std::string text() const {
    std::string ports = "    input wire logic clk_i,\n    input wire logic rst_ni";
    for (const bool input : {true, false})
      for (const test::UnitPort& port : input ? inputs : outputs)
        ports += std::string(",\n    ") + (input ? "input wire logic" : "output logic") +
                 (port.is_signed && port.count == 1 ? " signed [" : " [") +
                 std::to_string(port.width - 1) + ":0] " + port.name;
    return "`default_nettype none\nmodule " + name + " (\n" + ports + "\n);\n" + body +
           "endmodule\n`default_nettype wire\n";
  }
};

/// Outputs of the bench, one element for each of the inputs. `mutant`: a fault planted in a module,
/// or nullptr.
template <typename Input, typename Output>
std::vector<Output> run_unit(const UnitBench<Input, Output>& bench,
                             const std::vector<Input>& inputs, const Mutant* mutant = nullptr) {
  std::vector<rtl::GeneratedFile> files =
      rtl::with_modules({"rtl/" + bench.name + ".sv", bench.text()});
  int planted = 0;
  for (rtl::GeneratedFile& file : files)
    if (mutant != nullptr && file.path == rtl::kCommonFolder + mutant->module + ".sv")
      planted += replace_once(&file.text, mutant->from, mutant->to);
  if (mutant != nullptr) REQUIRE_MESSAGE(planted == 1, mutant->name);
  return test::VerilatedUnit<Input, Output>(files, bench.name, bench.inputs, bench.outputs)
      .run(inputs);
}

}  // namespace axelram::sim
