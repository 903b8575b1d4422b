#include "axelram/sim/verify.hpp"

#include <filesystem>

#include "axelram/files/errors.hpp"
#include "axelram/sim/build.hpp"
#include "verify/attention/verification.hpp"
#include "verify/macro/verification.hpp"

namespace axelram::sim {

VerifyReport verify(const files::Config& config, const std::vector<rtl::GeneratedFile>& generated,
                    const std::optional<files::Trace>& trace, const VerifyOptions& options) {
  if (!options.directory.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.directory, error);
    if (error)
      throw files::EnvironmentError(options.directory + ": cannot be created (" + error.message() +
                                    "); choose a writable directory");
  }
  const std::string library =
      build_model(generated, {false, options.fast_compile, options.progress, options.covers});
  return (config.attention.given ? verify_attention : verify_macro)(config, generated, library,
                                                                    trace, options);
}

}  // namespace axelram::sim
