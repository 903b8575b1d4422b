#include <bit>
#include <cmath>
#include <set>
#include <stdexcept>

#include "axelram/bit_string.hpp"
#include "axelram/fault.hpp"
#include "axelram/faults/fault_model.hpp"
#include "axelram/faults/text.hpp"
#include "setup.hpp"

namespace {

using namespace axelram;
using namespace axelram::faults;

constexpr std::size_t kWords = 28;
constexpr int kBits = 8;
constexpr std::size_t kStored = kWords * kBits;

FaultModel model_of(ModelKind kind, double rate, bool interleave = false) {
  return {kind, rate, {{1, 0.5}, {3, 0.25}, {5, 0.25}}, interleave};
}

struct Drawn {
  std::vector<std::uint8_t> mask = std::vector<std::uint8_t>(kStored / 8);
  bool any = false;
  int flips() const {
    int sum = 0;
    for (const std::uint8_t byte : mask) sum += std::popcount(byte);
    return sum;
  }
};

Drawn draw(const FaultModel& model, std::uint32_t token, std::uint32_t trial,
           std::uint8_t stored = 0) {
  const std::vector<std::uint8_t> string(kStored / 8, stored);
  Drawn drawn;
  drawn.any = FaultSource(model, {9, 3, 2}, kWords, kBits)
                  .draw(token, trial, string.data(), &drawn.mask[0]);
  CHECK(drawn.any == (drawn.flips() != 0));
  return drawn;
}

TEST_CASE("the binary symmetric channel equals the reference (bit-contract.md#bit-errors)") {
  for (std::uint32_t trial = 0; trial < 20; ++trial) {
    CASE(trial);
    std::vector<std::uint8_t> expected(kStored / 8);
    fault_mask_ref({9, 5, 3, 2, false, trial}, kStored, fault_threshold(0.01), expected.data());
    CHECK_SAME(draw(model_of(ModelKind::bsc, 0.01), 5, trial).mask, expected);
  }
}

TEST_CASE("interleaving puts physical bit i*W + j into bit i of codeword j") {
  const FaultSource source(model_of(ModelKind::bsc, 0, true), {}, kWords, kBits);
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < kBits; ++i)
    for (std::size_t j = 0; j < kWords; ++j) {
      CASE(i, j);
      CHECK(source.logical(i * kWords + j) == j * kBits + i);
      seen.insert(source.logical(i * kWords + j));
    }
  CHECK(seen.size() == kStored);
  const Drawn plain = draw(model_of(ModelKind::bsc, 0.02), 1, 4);
  const Drawn woven = draw(model_of(ModelKind::bsc, 0.02, true), 1, 4);
  CHECK(plain.flips() > 0);
  for (std::size_t bit = 0; bit < kStored; ++bit)
    CHECK_AT(bit,
             get_bit(plain.mask.data(), bit) == get_bit(woven.mask.data(), source.logical(bit)));
}

TEST_CASE("an upset flips adjacent bits, of widths as often as asked") {
  const FaultModel model = model_of(ModelKind::burst, 0.75);
  int widths[6] = {}, none = 0;
  const int trials = 20'000;
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    CASE(trial);
    const Drawn drawn = draw(model, 0, trial);
    if (!drawn.any) {
      ++none;
      continue;
    }
    std::size_t first = 0;
    while (!get_bit(drawn.mask.data(), first)) ++first;
    const int flips = drawn.flips();
    REQUIRE(flips <= 5);
    for (int i = 0; i < flips; ++i)
      CHECK_AT(i, get_bit(drawn.mask.data(), first + static_cast<std::size_t>(i)));
    const bool cut = first + static_cast<std::size_t>(flips) == kStored;
    CHECK((flips == 1 || flips == 3 || flips == 5 || cut));
    ++widths[flips];
  }
  CHECK(none / double{trials} == doctest::Approx(0.25).epsilon(0.05));
  CHECK(widths[1] / double{trials} == doctest::Approx(0.375).epsilon(0.05));
  CHECK(widths[5] / double{trials} == doctest::Approx(0.1875).epsilon(0.08));
}

TEST_CASE("interleaved upsets hit each codeword at most once") {
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    CASE(trial);
    const Drawn drawn = draw(model_of(ModelKind::burst, 1, true), 0, trial);
    for (std::size_t word = 0; word < kWords; ++word)
      CHECK_AT(word, std::popcount(read_bits(drawn.mask.data(), word * kBits, kBits)) <= 1);
  }
}

TEST_CASE("a stuck cell flips one of the two values") {
  const FaultModel model = model_of(ModelKind::stuck, 0.1);
  int stuck = 0;
  for (std::uint32_t trial = 0; trial < 200; ++trial) {
    CASE(trial);
    const Drawn zeros = draw(model, 2, trial, 0x00), ones = draw(model, 2, trial, 0xFF);
    for (std::size_t i = 0; i < zeros.mask.size(); ++i) {
      CASE(i);
      CHECK((zeros.mask[i] & ones.mask[i]) == 0);
      stuck += std::popcount(static_cast<unsigned>(zeros.mask[i] | ones.mask[i]));
    }
    const Drawn woven = draw(model_of(ModelKind::stuck, 0.1, true), 2, trial);
    CHECK(woven.flips() == zeros.flips());
  }
  // The value of a cell is the top bit of its Philox word.
  const auto cells = philox4x32({0x80000000, 2, 3 << 16 | 2 << 1, 0}, {9, 0});
  const auto values = philox4x32({0x90000000, 2, 3 << 16 | 2 << 1, 0}, {9, 0});
  const Drawn all = draw(model_of(ModelKind::stuck, 1), 2, 0, 0x00);
  const Drawn some = draw(model_of(ModelKind::stuck, 0.5), 2, 0, 0x00);
  for (std::size_t i = 0; i < 4; ++i) {
    CASE(i);
    CHECK(get_bit(all.mask.data(), i) == (values[i] >> 31 != 0));
    CHECK(get_bit(some.mask.data(), i) == (values[i] >> 31 != 0 && cells[i] >> 31 == 0));
  }
  CHECK(stuck / (200.0 * kStored) == doctest::Approx(0.1).epsilon(0.05));
}

TEST_CASE("single flips take each bit in turn") {
  for (std::uint32_t trial = 0; trial < kStored; ++trial) {
    CASE(trial);
    const Drawn drawn = draw(model_of(ModelKind::single_flip, 0), 1, trial);
    CHECK(drawn.flips() == 1);
    CHECK(get_bit(drawn.mask.data(), trial));
  }
  const FaultSource source(model_of(ModelKind::single_flip, 0), {}, kWords, kBits);
  std::vector<std::uint8_t> string(kStored / 8), mask(kStored / 8);
  for (const std::uint32_t trial : {static_cast<std::uint32_t>(kStored), ~std::uint32_t{0}}) {
    CASE(trial);
    CHECK_THROWS_AS(source.draw(1, trial, string.data(), mask.data()), std::out_of_range);
  }
}

TEST_CASE("rates are those the generator draws") {
  const FaultSource source(model_of(ModelKind::burst, 1e-4), {}, kWords, kBits);
  CHECK(source.exact_rate() == std::floor(1e-4 * 4294967296.0) / 4294967296.0);
  CHECK_SAME(source.exact_widths(), std::vector<double>{0.5, 0.25, 0.25});
}

TEST_CASE("texts of models") {
  CHECK(parse_widths("1:0.5,3:2")->at(1).bits == 3);
  CHECK(widths_text(*parse_widths("1:0.5,3:2")) == "1:0.5,3:2");
  for (const char* bad : {"", "1", "1:0", "0:1", "33:1", "1.5:1", "1:1,1:2", "1:1,", "1:nan", "1:x",
                          "1:1e308,2:1e308", "1:1.1e9"}) {
    CASE(bad);
    CHECK_FALSE(parse_widths(bad).has_value());
  }
  for (const char* bad : {"", "1e", "nan", "inf", " 1", "0x1", "1,"}) {
    CASE(bad);
    CHECK_FALSE(parse_number(bad));
  }
  CHECK(parse_number("1e-3") == 1e-3);
  CHECK(number_text(1e-3) == "0.001");
  CHECK_FALSE(value_named<ErasurePolicy>("Keep"));
  CHECK(value_named<ModelKind>("single-flip") == ModelKind::single_flip);
}

}  // namespace
