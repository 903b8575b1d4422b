#include "plots.hpp"

#include "faults_output.hpp"
#include "perplexity_report.hpp"

namespace axelram::commands {

std::string plot(const FaultsResult& result) {
  return cli::faults_plot(result.report, result.config);
}

std::string plot(const PerplexityResult& result) { return cli::perplexity_plot(result); }

}  // namespace axelram::commands
