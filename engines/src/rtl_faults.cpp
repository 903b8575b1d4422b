#include <map>
#include <mutex>

#include "axelram/files/errors.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/injection.hpp"
#include "rtl.hpp"

namespace axelram::engines {
namespace {

class RtlEngine : public faults::FaultEngine {
 public:
  RtlEngine(const files::Config& config, const files::Trace& trace, const std::string& library)
      : config_(config), trace_(trace), model_(library, 1) {
    const rtl::Layout layout(config);
    const auto bytes = static_cast<std::size_t>(layout.stored_bits + 7) / 8;
    sim::run_injection(config_, trace_, model_,
                       std::vector<std::uint8_t>(trace.key_count() * bytes), ErasurePolicy::keep);
    for (unsigned t = 0; t < trace.key_count(); ++t) {
      const std::vector<std::uint8_t> row = model_.stored(t, bytes);
      stored_.insert(stored_.end(), row.begin(), row.end());
    }
  }

  const std::vector<std::uint8_t>& stored() const override { return stored_; }

  faults::FaultOutcome read(const std::vector<std::uint8_t>& masks, ErasurePolicy policy) override {
    sim::InjectionRun run = sim::run_injection(config_, trace_, model_, masks, policy);
    return {std::move(run.statuses), std::move(run.decoded), std::move(run.repaired),
            std::move(run.scores)};
  }

 private:
  files::Config config_;
  const files::Trace& trace_;
  sim::RtlModel model_;
  std::vector<std::uint8_t> stored_;
};

/// One compiled model per code, built when it is first used.
class Libraries {
 public:
  Libraries(files::Config config, Tell tell) : config_(std::move(config)), tell_(std::move(tell)) {}

  files::Config with_code(const std::string& code) const {
    if (code == "none")
      throw files::InputError(
          "--engine rtl: a macro without a code has no injection port; use --engine fast for code "
          "none");
    files::Config config = config_;
    config.ecc.code = code;
    config.ecc.scrub_interval = 0;  // a scrub would correct what the campaign counts
    return config;
  }

  std::string at(const files::Config& config) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::string& library = libraries_[config.ecc.code];
    if (library.empty()) {
      sim::BuildOptions options;
      options.progress = tell_;
      library = sim::build_model(rtl::generate_observed(config), options);
    }
    return library;
  }

 private:
  files::Config config_;
  Tell tell_;
  std::mutex mutex_;
  std::map<std::string, std::string> libraries_;
};

}  // namespace

faults::EngineFactory rtl_faults(const FaultsRequest& request) {
  const auto libraries = std::make_shared<Libraries>(request.config, request.tell);
  return [libraries,
          &trace = request.trace](const std::string& code) -> std::unique_ptr<faults::FaultEngine> {
    const files::Config coded = libraries->with_code(code);
    return std::make_unique<RtlEngine>(coded, trace, libraries->at(coded));
  };
}

}  // namespace axelram::engines
