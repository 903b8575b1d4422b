#include "axelram/faults/dump.hpp"

#include "axelram/files/safetensors.hpp"
#include "files/support.hpp"
#include "setup.hpp"

namespace {

using namespace axelram;
using namespace axelram::faults;

struct Dumped {
  test::Setup setup;
  CampaignOptions options = setup.options();
  CampaignReport report;
  std::vector<Case> cases;

  Dumped() {
    options.codes = {"hamming84", "none"};
    options.policies = {ErasurePolicy::keep, ErasurePolicy::interpolate};
    options.rates = {0.05};
    options.score_trials = 20;
    report = setup.run(options);
    cases = interesting_cases(setup.config, options, report);
  }
};

TEST_CASE("dumped cases replay") {
  const Dumped dumped;
  const test::TemporaryFolder folder;
  std::vector<std::string> names;
  for (const Case& c : dumped.cases) {
    CASE(file_name(c));
    const std::string path = folder / file_name(c);
    names.push_back(file_name(c));
    write_case(path, c, false);
    const Case again = read_case(path);
    CHECK_SAME(again.masks, c.masks);
    CHECK(again.token == c.token);
    CHECK(again.score_rms == c.score_rms);
    write_case(folder / "again", again, true);
    CHECK_SAME(test::content(folder / "again"), test::content(path));
    const Replay seen = replay(dumped.setup.config, dumped.options.engine, again, path);
    CHECK(seen.same_masks);
    CHECK(seen.same_outcome);
    CHECK(seen.error.rms == c.score_rms);
  }
  CHECK_SAME(names, std::vector<std::string>{"hamming84-0.05-miscorrection.safetensors",
                                             "hamming84-0.05-score-keep.safetensors",
                                             "hamming84-0.05-score-interpolate.safetensors",
                                             "none-0.05-miscorrection.safetensors",
                                             "none-0.05-score-keep.safetensors"});
  CHECK(dumped.cases[2].score_rms == dumped.report.points[1].worst.rms);
  const Case& first = dumped.cases[0];
  const Workload workload = dumped.setup.workload("hamming84");
  const std::size_t bytes = workload.code().record_bytes();
  const std::uint8_t* const decoded = &first.decoded[first.token * bytes];
  CHECK_DIFFERENT(std::span(decoded, bytes), std::span(workload.data(first.token), bytes));
}

TEST_CASE("a case that was tampered with does not replay") {
  const Dumped dumped;
  Case c = dumped.cases[0];
  c.masks[7] ^= 1;
  const Replay masks = replay(dumped.setup.config, dumped.options.engine, c, "x");
  CHECK_FALSE(masks.same_masks);
  c = dumped.cases[0];
  c.repaired[7] ^= 1;
  const Replay outcome = replay(dumped.setup.config, dumped.options.engine, c, "x");
  CHECK(outcome.same_masks);
  CHECK_FALSE(outcome.same_outcome);
}

TEST_CASE("a token or a bit out of range is an input error") {
  const Dumped dumped;
  const auto told = [&](const Case& c) {
    return test::message([&] { replay(dumped.setup.config, dumped.options.engine, c, "x"); });
  };
  Case c = dumped.cases[0];
  c.token = 16;
  CHECK(test::contains(told(c), "x: metadata token: 16; here there are 16, counted from 0"));
  c = dumped.cases[0];
  c.model.kind = ModelKind::single_flip;
  c.trial = ~std::uint32_t{0};
  CHECK(test::contains(told(c), "x: metadata trial: 4294967295; here there are 224"));
  c.trial = 224;
  CHECK(test::contains(told(c), "metadata trial: 224"));
}

TEST_CASE("a file that is not a case, or a case of another macro, is an input error") {
  const Dumped dumped;
  const test::TemporaryFolder folder;
  const std::string path = folder / "case";
  const test::Setup other(12);
  CHECK(test::contains(
      test::message([&] { replay(other.config, other.options().engine, dumped.cases[0], path); }),
      "tensor masks: 448 bytes; this macro and trace have 336"));
  Case c = dumped.cases[0];
  c.code = "hamming85";
  write_case(path, c, false);
  CHECK(
      test::contains(test::message([&] { read_case(path); }), "metadata code: no code is called"));
  c = dumped.cases[0];
  c.model.rate = 2;
  write_case(path, c, true);
  CHECK(test::contains(test::message([&] { read_case(path); }), "metadata rate: '2'"));
  files::write_safetensors(path, {}, {{"kind", "score"}}, true);
  CHECK(test::contains(test::message([&] { read_case(path); }), "configuration"));
}

}  // namespace
