#include "mutants.hpp"

#include <map>
#include <set>
#include <string>

#include "axelram/run/golden.hpp"
#include "axelram/sim/engine.hpp"
#include "axelram/sim/verify.hpp"
#include "balance_mutants.hpp"
#include "check.hpp"
#include "clock_mutants.hpp"
#include "code_mutants.hpp"
#include "exact_mutants.hpp"
#include "lane_mutants.hpp"
#include "planted.hpp"
#include "quantizer_mutants.hpp"
#include "residual_mutants.hpp"
#include "small_configs.hpp"
#include "split_mutants.hpp"
#include "trellis_mutants.hpp"
#include "verified.hpp"

namespace axelram::sim {
namespace {

/// Bytes of each tensor, by name.
std::map<std::string, std::string> tensors_of(const files::Result& result) {
  std::map<std::string, std::string> tensors;
  files::for_each_tensor(result,
                         [&](const files::TensorRow& row, const files::Shape&, const auto& values) {
                           tensors[row.name].assign(reinterpret_cast<const char*>(values.data()),
                                                    values.size() * size_of(row.type));
                         });
  return tensors;
}

/// Chooses between two macros of one kind by whether a fault is planted in the folded one.
template <class Folded, class Parallel>
auto either(const Folded& folded, const Parallel& parallel) {
  return [=](bool fold) { return fold ? folded() : parallel(); };
}

// verify finds each fault. If a tensor belongs to the faulty stage, a run of a trace differs in
// that tensor, because tensors of an RTL run are sampled from the RTL.
void check_caught(const Mutant& mutant, const files::Config& config,
                  std::set<std::string>* changed) {
  CASE(mutant.name);
  const std::vector<rtl::GeneratedFile> generated = planted(config, mutant);
  const VerifyReport report = verify(config, generated, std::nullopt, brief(300));
  CHECK_FALSE(report.holds());
  if (report.holds()) return;
  MESSAGE(mutant.name, ": ", report.mismatch->tensor, " in ", report.mismatch->phase, ", ",
          report.mismatch->text);

  if (mutant.tensor.empty()) return;
  const files::Trace trace = test::small_trace(config);
  const std::string library = build_model(generated, {false, true, {}});
  try {
    const RtlRun run = run_rtl(config, trace, library, {}, 1, "");
    auto of_golden = tensors_of(run::golden(config, trace)), of_rtl = tensors_of(run.result);
    CHECK_MESSAGE(of_golden[mutant.tensor] != of_rtl[mutant.tensor], mutant.tensor,
                  " is unchanged");
    changed->insert(mutant.tensor);
  } catch (const AssertionError&) {
    // An assertion ended the run before a tensor could differ.
  }
}

/// Checks every `stride`-th fault in its macro; returns the tensors that faults changed.
template <class Choose>
std::set<std::string> check_sample(const std::vector<Mutant>& mutants, std::size_t stride,
                                   const Choose& macro) {
  std::set<std::string> changed;
  for (const Mutant& mutant : sample(mutants, stride)) {
    CASE(mutant.name);
    check_caught(mutant, macro(mutant.folded), &changed);
  }
  return changed;
}

/// Plants each fault in the RTL of its macro, without compiling it.
template <class Choose>
void check_places(const std::vector<Mutant>& mutants, Choose&& macro) {
  const std::vector<rtl::GeneratedFile> folded = rtl::generate_observed(macro(true)),
                                        parallel = rtl::generate_observed(macro(false));
  for (const Mutant& mutant : mutants) {
    CASE(mutant.name);
    planted(macro(mutant.folded), mutant, mutant.folded ? folded : parallel);
  }
}

}  // namespace

TEST_CASE("each fault that is planted has one place in the RTL") {
  check_places(write_path_mutants(), either(test::small_folded, test::small_parallel));
  check_places(read_path_mutants(), either(test::small_folded, test::small_parallel));
  check_places(scale_mutants(), either(test::small_unbiased_folded, test::small_unbiased));
  check_places(trellis_mutants(), either(test::small_trellis_folded, test::small_trellis));
  check_places(residual_mutants(), either(test::small_prod_folded, test::small_prod));
  check_places(split_mutants(), either(test::small_split_folded, test::small_split));
  check_places(balance_mutants(), either(test::small_balanced_folded, test::small_balanced));
  check_places(exact_mutants(), either(test::small_exact_folded, test::small_exact));
  check_places(half_table_mutants(), test::small_half_table);
  check_places(latch_mutants(), test::small_latches);
  check_places(multiplier_mutants(), test::small_multiplier);
  check_places(clock_mutants(), test::small_gated);
  check_places(coding_mutants(), either(test::small_coded, test::small_coded_deep));
  check_places(store_mutants(), either(test::small_coded, test::small_coded_deep));
}

TEST_CASE("verify catches faults planted in the write path") {
  REQUIRE(write_path_mutants().size() >= 12);
  const std::set<std::string> changed =
      check_sample(write_path_mutants(), 2, either(test::small_folded, test::small_parallel));
  CHECK_SAME(changed, std::set<std::string>{"indices", "norms", "records", "thresholds"});
}

TEST_CASE("verify catches faults planted in the read path and the streams") {
  REQUIRE(read_path_mutants().size() >= 12);
  const std::set<std::string> changed =
      check_sample(read_path_mutants(), 2, either(test::small_folded, test::small_parallel));
  for (const char* tensor : {"rotated_queries", "query_exponents", "accumulators", "scores"})
    CHECK_MESSAGE(changed.count(tensor) == 1, tensor);
}

TEST_CASE("verify catches faults planted in the unbiased norm") {
  REQUIRE(scale_mutants().size() >= 12);
  const std::set<std::string> changed =
      check_sample(scale_mutants(), 2, either(test::small_unbiased_folded, test::small_unbiased));
  CHECK_SAME(changed, std::set<std::string>{"correlations", "norms", "records"});
}

TEST_CASE("verify catches faults planted in the trellis") {
  REQUIRE(trellis_mutants().size() >= 15);
  const std::set<std::string> changed =
      check_sample(trellis_mutants(), 3, either(test::small_trellis_folded, test::small_trellis));
  CHECK_MESSAGE(changed.count("indices") == 1, "indices");
}

TEST_CASE("verify catches faults planted in residuals") {
  REQUIRE(residual_mutants().size() >= 20);
  const std::set<std::string> changed =
      check_sample(residual_mutants(), 5, either(test::small_prod_folded, test::small_prod));
  for (const char* tensor : {"residual_signs", "residual_accumulators"})
    CHECK_MESSAGE(changed.count(tensor) == 1, tensor);
}

TEST_CASE("verify catches faults planted in a split") {
  REQUIRE(split_mutants().size() >= 15);
  const std::set<std::string> changed =
      check_sample(split_mutants(), 4, either(test::small_split_folded, test::small_split));
  CHECK_MESSAGE(changed.count("indices") == 1, "indices");
}

TEST_CASE("verify catches faults planted in balance exponents") {
  REQUIRE(balance_mutants().size() >= 12);
  const std::set<std::string> changed =
      check_sample(balance_mutants(), 3, either(test::small_balanced_folded, test::small_balanced));
  for (const char* tensor : {"indices", "query_exponents"})
    CHECK_MESSAGE(changed.count(tensor) == 1, tensor);
}

TEST_CASE("verify catches faults planted in exact tokens") {
  REQUIRE(exact_mutants().size() >= 20);
  const std::set<std::string> changed =
      check_sample(exact_mutants(), 4, either(test::small_exact_folded, test::small_exact));
  for (const char* tensor : {"accumulators", "exact_exponents"})
    CHECK_MESSAGE(changed.count(tensor) == 1, tensor);
}

TEST_CASE("verify catches faults planted in a half table") {
  const std::set<std::string> changed =
      check_sample(half_table_mutants(), 3, test::small_half_table);
  CHECK_MESSAGE(changed.count("accumulators") == 1, "accumulators");
}

TEST_CASE("verify catches faults planted in a table of latches") {
  const std::set<std::string> changed = check_sample(latch_mutants(), 4, test::small_latches);
  CHECK_MESSAGE(changed.count("accumulators") == 1, "accumulators");
}

TEST_CASE("verify catches faults planted in the multipliers of read lanes") {
  const std::set<std::string> changed =
      check_sample(multiplier_mutants(), 3, test::small_multiplier);
  CHECK_MESSAGE(changed.count("accumulators") == 1, "accumulators");
}

TEST_CASE("verify catches faults planted in the clock gate of the write path") {
  check_sample(clock_mutants(), 3, test::small_gated);
}

}  // namespace axelram::sim
