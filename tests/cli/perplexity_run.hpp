#pragma once

#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "cli/program.hpp"

namespace test {

/// Runs the bundled model on the text of TempDir::put_text.
const std::string kTextRun = "perplexity " + kByteLlama + " text.txt ";

/// The likelihoods that --nll wrote.
inline std::vector<double> nll_of(const TempDir& axelram, const std::string& name) {
  return axelram::files::Safetensors::read(axelram.at(name))
      .at("nll", axelram::files::DataType::f64, 1)
      .values<double>();
}

}  // namespace test
