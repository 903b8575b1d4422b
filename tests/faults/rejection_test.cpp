// Campaigns that must fail: the decoder under test has one rare fault in each.
#include <cstring>

#include "setup.hpp"

namespace {

using namespace axelram;
using namespace axelram::faults;

/// Decodes correctly, but flips a data bit in one of `every` records with a corrected word.
RecordDecoder spoiling(std::uint64_t every) {
  return [every, corrected = std::uint64_t{0}](const RecordCode& code, const std::uint8_t* stored,
                                               std::uint8_t* data, std::uint8_t* statuses) mutable {
    const DecodeCounts counts = code.decode(stored, data, statuses);
    if (counts.corrected != 0 && ++corrected % every == 0) toggle_bit(data, 5);
    return counts;
  };
}

TEST_CASE("a decoder that spoils few corrected records is rejected, rare as failures are") {
  const test::Setup setup;
  CampaignOptions options = setup.options();
  options.codes = {"golay24"};
  options.rates = {1e-3};
  options.trials = 500;
  const CampaignReport right = setup.run(options);
  CHECK(right.holds());
  CHECK(std::string(right.points[0].at("miscorrected").method) == "stratified");
  options.decode = spoiling(500);
  const CampaignReport wrong = setup.run(options);
  const Statistic& s = wrong.points[0].at("miscorrected");
  CHECK(std::string(s.method) == "stratified");
  CHECK(s.events > 0);
  CHECK(s.events < 10);
  CHECK_FALSE(s.holds);
  CHECK_FALSE(wrong.points[0].at("index_error").holds);  // few events, far above the expectation
  CHECK_FALSE(wrong.holds());
}

TEST_CASE("a wrong decoder of single flips is rejected") {
  const test::Setup setup(4, 1);
  CampaignOptions options = setup.options();
  options.codes = {"golay24"};
  options.model.kind = ModelKind::single_flip;
  options.rates = {0};
  options.trials = 1'000'000;
  CHECK(setup.run(options).holds());
  options.decode = spoiling(100);
  CHECK_FALSE(setup.run(options).holds());
}

TEST_CASE("a decoder that reports a correction and makes none is rejected") {
  const test::Setup setup;
  CampaignOptions options = setup.options();
  options.trials = 200;
  options.decode = [](const RecordCode& code, const std::uint8_t* stored, std::uint8_t* data,
                      std::uint8_t* statuses) {
    const DecodeCounts counts = code.decode(stored, data, statuses);
    if (counts.corrected == 0) return counts;
    for (std::size_t i = 0; i < 4; ++i)  // the first word stays as received
      if (get_bit(data, i) != get_bit(stored, i)) toggle_bit(data, i);
    return counts;
  };
  CHECK_FALSE(setup.run(options).holds());
}

/// Reports erasures in records without a failed word. The repaired records are wrong; only a bound
/// of their error rate is known.
RecordDecoder frightened() {
  return [calls = 0](const RecordCode& code, const std::uint8_t* stored, std::uint8_t* data,
                     std::uint8_t* statuses) mutable {
    DecodeCounts counts = code.decode(stored, data, statuses);
    if (counts.detected != 0 || ++calls % 20 != 0) return counts;
    for (std::size_t word = 0; word < code.words(); ++word) statuses[word / 4] = 0xFF;
    return DecodeCounts{0, 0, 0, code.words()};
  };
}

TEST_CASE("records and norms without a closed form are tested against a bound") {
  const test::Setup setup;
  CampaignOptions options = setup.options();
  options.policies = {ErasurePolicy::interpolate};
  options.trials = 200;
  options.rates = {1e-3};
  const CampaignReport right = setup.run(options);
  CHECK(right.holds());
  for (const char* name : {"record_error", "norm_error"}) {
    CASE(name);
    CHECK_FALSE(right.points[0].at(name).expected);
    CHECK(right.points[0].at(name).p_value);
  }
  options.decode = frightened();
  const CampaignReport wrong = setup.run(options);
  for (const char* name : {"index_error", "record_error", "norm_error"}) {
    CASE(name);
    CHECK_FALSE(wrong.points[0].at(name).holds);
  }
  // Upsets that are not always detected: repaired elements have no closed form.
  options.model = {ModelKind::burst, 0, {{2, 1}}, false};
  options.rates = {0.5};
  options.decode = {};
  CHECK(setup.run(options).holds());
  options.decode = frightened();
  const CampaignReport upsets = setup.run(options);
  CHECK_FALSE(upsets.holds());
}

}  // namespace
