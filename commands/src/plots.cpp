#include "plots.hpp"

#include "faults_output.hpp"
#include "perplexity_report.hpp"

namespace axelram::commands {

cli::Plot plot(const FaultsResult& result) {
  return cli::faults_plot(result.report, result.config);
}

cli::Plot plot(const PerplexityResult& result) { return cli::perplexity_plot(result); }

}  // namespace axelram::commands
