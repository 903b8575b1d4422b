// Macros with exponents (bit-contract.md#exponents).
#include "axelram/sim/build.hpp"
#include "axelram/sim/engine.hpp"
#include "check.hpp"
#include "fields.hpp"
#include "small_configs.hpp"
#include "verified.hpp"

namespace axelram::sim {
namespace {

using test::small_balanced, test::small_balanced_folded, test::small_balanced_prod;

}  // namespace

TEST_CASE("verify of a macro with exponents holds and meets every corner") {
  for (const files::Config& config :
       {small_balanced(), small_balanced_folded(), small_balanced_prod()}) {
    CASE(files::canonical_yaml(config));
    const VerifyReport report = check_verified(config, brief(300));
    std::size_t of_balance = 0;
    for (const CoverageBin& bin : report.coverage)
      of_balance += bin.name.find("balanced") != std::string::npos && bin.reachable ? 1 : 0;
    CHECK(of_balance >= 2);
  }
}

TEST_CASE("a macro with exponents takes as many cycles as one without") {
  for (const files::Config& config :
       {small_balanced(), small_balanced_folded(), small_balanced_prod()}) {
    CASE(files::canonical_yaml(config));
    files::Config plain = config;
    plain.parameters.balanced = false;
    plain.head_rotation.balance.clear();
    const auto cycles = [](const files::Config& of) {
      const std::vector<rtl::GeneratedFile> generated = rtl::generate_observed(of);
      return run_rtl(of, test::small_trace(of), build_model(generated, {false, true, {}}), {}, 1,
                     "")
          .cycles;
    };
    CHECK_SAME(cycles(config), cycles(plain));
  }
}

}  // namespace axelram::sim
