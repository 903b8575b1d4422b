#include "code_mutants.hpp"

#include "axelram/sim/verify.hpp"
#include "check.hpp"
#include "planted.hpp"
#include "small_configs.hpp"
#include "verified.hpp"

namespace axelram::sim {
namespace {

void check_caught(const Mutant& mutant) {
  CASE(mutant.name);
  const files::Config config = mutant.folded ? test::small_coded() : test::small_coded_deep();
  const VerifyReport report = verify(config, planted(config, mutant), std::nullopt, brief(60));
  CHECK_FALSE(report.holds());
  if (report.holds()) return;
  MESSAGE(mutant.name, ": ", report.mismatch->tensor, " in ", report.mismatch->phase, ", ",
          report.mismatch->text);
}

}  // namespace

TEST_CASE("verify catches faults planted between records and lookups behind a code") {
  REQUIRE(coding_mutants().size() >= 12);
  for (const Mutant& mutant : sample(coding_mutants(), 3)) {
    CASE(mutant.name);
    check_caught(mutant);
  }
}

TEST_CASE("verify catches faults planted in the memory behind a code") {
  REQUIRE(store_mutants().size() >= 12);
  for (const Mutant& mutant : sample(store_mutants(), 3)) {
    CASE(mutant.name);
    check_caught(mutant);
  }
}

TEST_CASE("without a fault verify holds for the small macros behind a code") {
  for (const files::Config& config : {test::small_coded(), test::small_coded_deep()}) {
    CASE(files::canonical_yaml(config));
    check_verified(config, brief(300));
  }
}

}  // namespace axelram::sim
