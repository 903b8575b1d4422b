#pragma once

#include <string>
#include <vector>

#include "axelram/rtl/generator.hpp"
#include "check.hpp"
#include "mutants.hpp"
#include "tally.hpp"
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
/// or nullptr; without one no assertion fails behind the four cycles of a reset.
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
  std::vector<Output> outputs =
      test::VerilatedUnit<Input, Output>(files, bench.name, bench.inputs, bench.outputs)
          .run(inputs);
  if constexpr (requires { outputs[0].asserted; }) {
    ::test::Tally asserted;
    for (std::size_t t = 4; t < outputs.size(); ++t)
      COMPARE(asserted, outputs[t].asserted, false, t);
    if (mutant == nullptr) CHECK(asserted == 0);
  }
  return outputs;
}

/// Each fault makes what `compare` counts differ.
template <class Compare>
void check_caught(const std::vector<Mutant>& mutants, const Compare& compare) {
  for (const Mutant& mutant : mutants) CHECK_AT(mutant.name, compare(&mutant) > 0);
}

}  // namespace axelram::sim
