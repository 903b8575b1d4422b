#include <set>

#include "axelram/sim/build.hpp"
#include "axelram/sim/rtl_model.hpp"
#include "axelram/sim/verify.hpp"
#include "check.hpp"
#include "small_configs.hpp"

namespace axelram::sim {
namespace {

VerifyReport verify_covers(const files::Config& config,
                           const std::vector<rtl::GeneratedFile>& generated) {
  VerifyOptions options;
  options.vectors = 300;
  options.fast_compile = options.covers = true;
  return verify(config, generated, std::nullopt, options);
}

/// But for those of `without`.
void check_covers(const files::Config& config, const std::set<std::string>& without) {
  const std::vector<rtl::GeneratedFile> generated = rtl::generate_observed(config);
  const VerifyReport report = verify_covers(config, generated);
  REQUIRE_MESSAGE(report.holds(), report.mismatch->text);
  std::set<std::string> labels;
  for (const CoverageBin& bin : report.coverage) {
    labels.insert(bin.label());
    CHECK_MESSAGE(bin.met(), bin.name);
    CHECK_MESSAGE(bin.rtl_hits.has_value() == (without.count(bin.label()) == 0), bin.name);
  }
  BuildOptions options;
  options.fast_compile = options.covers = true;
  RtlModel model(build_model(generated, options), 1);
  const auto covers = model.covers();
  CHECK(covers.size() + without.size() == labels.size());
  for (const auto& [label, hits] : covers) {
    CASE(label, hits);
    CHECK_MESSAGE(labels.count(label) == 1, label);
    CHECK(hits == 0);
  }
}

}  // namespace

TEST_CASE("each corner has a cover in the RTL, and each cover is a corner") {
  // The RTL does not know the record that was stored, nor the radius of the code.
  for (const files::Config& config :
       {test::small_coded(), test::small_unbiased_folded(), test::small_exact_folded(),
        test::small_prod_folded(), test::small_split_folded()}) {
    CASE(files::canonical_yaml(config));
    check_covers(config, {"word_wrong_and_undetected", "injection_beyond_correction"});
  }
}

TEST_CASE("a cover that is never hit leaves its corner unmet") {
  const files::Config config = test::small_coded();
  std::vector<rtl::GeneratedFile> generated = rtl::generate_observed(config);
  const std::string from = "obs_state_i == Build && key_count_i == '0";
  std::size_t planted = 0;
  for (rtl::GeneratedFile& file : generated)
    if (const std::size_t at = file.text.find(from); at != std::string::npos) {
      file.text.replace(at, from.size(), "1'b0 && key_count_i == '0");
      ++planted;
    }
  REQUIRE(planted == 1);
  const VerifyReport report = verify_covers(config, generated);
  REQUIRE(report.holds());
  for (const CoverageBin& bin : report.coverage)
    CHECK_MESSAGE(bin.met() == (bin.label() != "store_scored_when_empty"), bin.name);
}

TEST_CASE("without the option no cover is counted") {
  VerifyOptions options;
  options.vectors = 30;
  options.fast_compile = true;
  const files::Config config = test::small_coded();
  const VerifyReport report = verify(config, rtl::generate_observed(config), std::nullopt, options);
  for (const CoverageBin& bin : report.coverage) CHECK_AT(bin.name, !bin.rtl_hits);
}

}  // namespace axelram::sim
