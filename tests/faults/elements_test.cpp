#include "axelram/faults/elements.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "axelram/bit_string.hpp"
#include "axelram/faults/patterns.hpp"
#include "setup.hpp"

namespace {

using namespace axelram;
using namespace axelram::faults;

/// First bit and bits of an index or residual sign.
std::pair<std::size_t, int> place_of(const RecordCode& code, std::size_t element) {
  for (const RecordField& field : code.fields()) {
    if (element < static_cast<std::size_t>(field.count))
      return {field.first + element * static_cast<std::size_t>(field.bits), field.bits};
    element -= static_cast<std::size_t>(field.count);
  }
  return {};
}

/// The error rate of one element by brute force: every pattern of the words that hold it, with its
/// probability, on the record of token 0 alone.
double enumerated_rate(const Workload& workload, std::size_t element, double p,
                       ErasurePolicy policy) {
  const RecordCode& code = workload.code();
  const auto [place, b] = place_of(code, element);
  const auto k = static_cast<std::size_t>(code.code().k);
  const std::size_t first = place / k, last = (place + static_cast<std::size_t>(b) - 1) / k;
  const std::size_t bits = (last - first + 1) * static_cast<std::size_t>(code.code().n);
  double rate = 0;
  std::vector<std::uint8_t> data(code.data_bytes()), statuses(code.status_bytes());
  std::vector<std::uint8_t> record(code.record_bytes());
  for (std::uint64_t pattern = 0; pattern < std::uint64_t{1} << bits; ++pattern) {
    std::vector<std::uint8_t> received(workload.stored(0),
                                       workload.stored(0) + code.stored_bytes());
    int ones = 0;
    for (std::size_t i = 0; i < bits; ++i)
      if ((pattern >> i & 1) != 0) {
        const std::size_t at = first * static_cast<std::size_t>(code.code().n) + i;
        received[at / 8] = static_cast<std::uint8_t>(received[at / 8] ^ 1U << (at % 8));
        ++ones;
      }
    code.decode(received.data(), data.data(), statuses.data());
    repair_record_ref(code.code(), policy, code.fields(), {}, {data.data(), statuses.data()}, {},
                      record.data());
    if (read_bits(record.data(), place, b) != workload.elements().values[element])
      rate += std::pow(p, ones) * std::pow(1 - p, static_cast<double>(bits) - ones);
  }
  return rate;
}

/// Every statistic agrees with its closed form.
void check_holds(const CampaignReport& report) {
  for (const Point& point : report.points)
    for (const Statistic& s : point.statistics) {
      CASE(point.code, static_cast<int>(point.policy), s.name, s.rate);
      CHECK(s.holds);
    }
  CHECK(report.holds());
}

TEST_CASE("index error rates of keep and zero equal brute force over the words of each index") {
  const test::Setup setup(1, 1);
  const double p = 0.05;
  for (const char* name : {"hamming74", "hamming84"}) {
    CASE(name);
    const Workload workload = setup.workload(name);
    const ElementModel model(workload.code());
    for (const ErasurePolicy policy : {ErasurePolicy::keep, ErasurePolicy::zero}) {
      CASE(policy);
      double sum = 0;
      // The cut of indices of 3 bits into words of 4 repeats after 4; zero depends on the value.
      std::array<std::array<double, 2>, 4> known;
      for (auto& pair : known) pair.fill(-1);
      for (std::size_t i = 0; i < 32; ++i) {
        double& rate = known[i % 4][workload.elements().values[i] == 4];
        if (rate < 0) rate = enumerated_rate(workload, i, p, policy);
        sum += rate;
      }
      CHECK(model.rates(policy, workload.elements(), p).index ==
            doctest::Approx(sum / 32).epsilon(1e-10));
    }
  }
}

TEST_CASE(
    "error rates of both parts of a record equal brute force over the words of each element") {
  const double p = 0.05;
  for (const test::Setup& setup : {test::Setup::prod(1, 1), test::Setup::split(1, 1)}) {
    CASE(setup.config.parameters.kind);
    const Workload workload = setup.workload("hamming84");
    const ElementModel model(workload.code());
    const std::size_t elements = workload.code().elements();
    CHECK(elements == (setup.config.parameters.prod() ? 64 : 32));
    CHECK(workload.elements().norms.size() == 2);
    for (const ErasurePolicy policy : {ErasurePolicy::keep, ErasurePolicy::zero}) {
      CASE(policy);
      double sum = 0;
      for (std::size_t i = 0; i < elements; ++i) sum += enumerated_rate(workload, i, p, policy);
      CHECK(model.rates(policy, workload.elements(), p).index ==
            doctest::Approx(sum / static_cast<double>(elements)).epsilon(1e-10));
    }
  }
}

TEST_CASE("without a code an element is right where none of its bits flips") {
  const test::Setup setup(2, 1);
  const Workload workload = setup.workload("none");
  const ElementRates rates =
      ElementModel(workload.code()).rates(ErasurePolicy::keep, workload.elements(), 0.01);
  CHECK(rates.index == doctest::Approx(1 - std::pow(0.99, 3)).epsilon(1e-12));
  CHECK(rates.norm == doctest::Approx(1 - std::pow(0.99, 16)).epsilon(1e-12));
  CHECK(rates.record == doctest::Approx(1 - std::pow(0.99, 96)).epsilon(1e-12));
}

TEST_CASE("where there is no closed form there is no number") {
  const test::Setup setup(4, 1);
  const Workload secded = setup.workload("hamming84"), perfect = setup.workload("hamming74");
  const ElementRates open =
      ElementModel(secded.code()).rates(ErasurePolicy::interpolate, secded.elements(), 0.01);
  CHECK(std::isnan(open.norm));
  CHECK(std::isnan(open.record));
  const ElementRates closed =
      ElementModel(perfect.code()).rates(ErasurePolicy::interpolate, perfect.elements(), 0.01);
  CHECK(closed.norm ==
        ElementModel(perfect.code()).rates(ErasurePolicy::keep, perfect.elements(), 0.01).norm);
}

TEST_CASE("campaigns agree with the closed forms of every code and policy") {
  const test::Setup setup(24, 1);
  CampaignOptions options = setup.options();
  options.codes = {"none", "hamming74", "hamming84", "golay24", "hsiao_22_16", "hsiao_72_64"};
  options.policies = {ErasurePolicy::keep, ErasurePolicy::zero, ErasurePolicy::interpolate};
  options.rates = {0.003, 0.05};
  options.trials = 400;
  options.seed = 5;
  const CampaignReport report = setup.run(options, 2);
  CHECK(report.points.size() == 2 * 16);
  CHECK(report.tested > 200);
  check_holds(report);
}

TEST_CASE("campaigns on records of two parts agree with the closed forms") {
  for (const test::Setup& setup : {test::Setup::prod(24, 1), test::Setup::split(24, 1)}) {
    CASE(setup.config.parameters.kind);
    CampaignOptions options = setup.options();
    options.codes = {"none", "hamming74", "hamming84", "golay24", "hsiao_72_64"};
    options.policies = {ErasurePolicy::keep, ErasurePolicy::zero, ErasurePolicy::interpolate};
    options.rates = {0.003, 0.05};
    options.trials = 200;
    options.score_trials = 20;
    options.seed = 6;
    const CampaignReport report = setup.run(options, 2);
    CHECK(report.tested > 150);
    check_holds(report);
  }
}

TEST_CASE("elements of two parts are counted against the truth") {
  const test::Setup setup = test::Setup::prod(1, 1);
  const Workload workload = setup.workload("none");
  std::vector<std::uint8_t> wrong(workload.code().data_bytes());
  wrong[0] = 0b0011'0101;  // indices 0, 1 and 2, of 2 bits
  wrong[7] = 0x80;         // index 31
  wrong[8] = 0x03;         // residual signs 0 and 1
  wrong[12] = 1;           // norm
  wrong[15] = 0x80;        // residual norm
  RecordCounts counts;
  count_elements(workload.code(), wrong.data(), &counts);
  CHECK(counts.wrong_indices == 6);
  CHECK(counts.wrong_norms == 2);
}

TEST_CASE("words and indices are counted against the truth") {
  const test::Setup setup(1, 1);
  const Workload workload = setup.workload("hamming84");
  const RecordCode& code = workload.code();
  std::vector<std::uint8_t> wrong(code.data_bytes()), statuses(code.status_bytes());
  wrong[0] = 0b0001'0100;    // words 0 and 1, indices 0 and 1
  wrong[2] = 0xF0;           // word 5, indices 6 and 7
  wrong[12] = 1;             // norm
  statuses[0] = 1 | 3 << 2;  // word 0 corrected, word 1 detected
  RecordCounts counts;
  count_words(code, {20, 1, 0, 7}, statuses.data(), wrong.data(), &counts);
  count_elements(code, wrong.data(), &counts);
  CHECK_SAME(counts.words, std::array<std::uint64_t, kOutcomes>{18, 0, 0, 7, 3, 10});
  CHECK(counts.wrong_indices == 4);
  CHECK(counts.wrong_norms == 1);
}

}  // namespace
