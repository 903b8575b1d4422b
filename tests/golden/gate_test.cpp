#include "axelram/gate.hpp"

#include <cmath>
#include <limits>

#include "check.hpp"

using namespace axelram;

TEST_CASE("gate codes: the boundaries of the contract") {
  const auto& boundaries = gate_boundaries();
  CHECK(boundaries[13 - 1] == -2.9652731F);
  CHECK(boundaries[26 - 1] == -2.1972246F);
  CHECK(boundaries[128 - 1] == 0.0F);
  for (int j = 1; j <= 255; ++j) {
    const auto at = static_cast<std::size_t>(j - 1);
    CASE(j);
    CHECK(boundaries[at] == -boundaries[static_cast<std::size_t>(255 - j)]);
    // The logarithm lies in the half-open neighbourhood that rounds to it, by more digits.
    const long double exact = std::log((2.0L * j - 1) / (511 - 2.0L * j));
    const auto value = static_cast<long double>(boundaries[at]);
    const auto below = static_cast<long double>(std::nextafter(boundaries[at], -100.0F));
    const auto above = static_cast<long double>(std::nextafter(boundaries[at], 100.0F));
    CHECK(exact >= (value + below) / 2);
    CHECK(exact <= (value + above) / 2);
  }
}

TEST_CASE("a logit on a boundary has the upper code, the next one below the lower") {
  for (int j = 1; j <= 255; ++j) {
    CASE(j);
    const float boundary = gate_boundaries()[static_cast<std::size_t>(j - 1)];
    CHECK(gate_code_ref(boundary) == j);
    CHECK(gate_code_ref(std::nextafter(boundary, -100.0F)) == j - 1);
  }
  CHECK(gate_code_ref(-0.0F) == 128);
  CHECK(gate_code_ref(std::numeric_limits<float>::max()) == 255);
  CHECK(gate_code_ref(std::numeric_limits<float>::lowest()) == 0);
}

TEST_CASE("gate codes and parameters: numbers of the contract") {
  CHECK(gate_code_ref(2) == 225);
  CHECK(gate_code_ref(-2) == 30);
  CHECK(gate_code_ref(-2.5F) == 19);
  CHECK(gate_code_ref(-3) == 12);  // summary_eta_logit of a checkpoint
  CHECK(gate_code_ref(-4) == 5);
  CHECK(gate_code_ref(16) == 255);    // a checkpoint without a write gate
  CHECK(gate_parameter(0.10) == 26);  // a tie in FP64
  CHECK(gate_parameter(0.05) == 13);
  CHECK(gate_parameter(0.047) == 12);
  CHECK(gate_parameter(0) == 0);
  CHECK(gate_parameter(1) == 255);
}

TEST_CASE("gate bias: logarithms of gates") {
  const auto& bias = gate_bias();
  CHECK(bias[0] == bias[1]);
  CHECK(bias[1] == static_cast<float>(-std::log(255.0)));
  CHECK(test::Bitwise(bias[255]) == test::Bitwise(0.0F));
  for (std::size_t code = 2; code < bias.size(); ++code)
    CHECK_AT(code, bias[code] > bias[code - 1]);
}
