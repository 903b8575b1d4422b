// axelram_align with balance exponents, alone (bit-contract.md#exponents).
#include <random>

#include "axelram/align.hpp"
#include "check.hpp"
#include "tally.hpp"
#include "unit_bench.hpp"

namespace axelram::sim {
namespace {

using test::port;

/// Vectors of two elements, one a cycle. Exponents are those of the vector of the cycle before.
struct Input {
  bool reset = false, valid = false, query = false, value = false;
  std::array<std::uint16_t, 2> data{};
  std::array<std::int8_t, 2> balance{};
};

/// Outputs before the clock edge of the cycle.
struct Output {
  bool valid = false, query = false, value = false, rejected = false, rejected_query = false;
  std::int16_t exponent = 0;
  std::array<std::int32_t, 2> data{};
  bool asserted = false;  ///< an assertion failed at the edge before
};

/// ExpBits exponent bits of an element; fields of a vector have two more.
UnitBench<Input, Output> bench(int exponent_bits) {
  const std::string bits = std::to_string(exponent_bits);
  return {"align_unit_" + bits,
          "  localparam int ExpBits = " + bits + R"(;
  logic center_row;
  logic [31:0] center;
  axelram_align #(.Lanes(2), .ExpBits(ExpBits), .Balance(1'b1)) u_align (
      .clk_i, .rst_ni, .valid_i, .last_i(1'b1), .query_i, .value_i, .row_i(1'b0), .data_i,
      .balance_i, .center_exponent_i('0), .center_row_o(center_row), .center_i('0), .valid_o,
      .query_o, .value_o, .exponent_o, .data_o, .center_o(center), .rejected_o, .rejected_query_o
  );
  logic unused;
  assign unused = ^{center_row, center};
)",
          {port("valid_i", &Input::valid, 1), port("query_i", &Input::query, 1),
           port("value_i", &Input::value, 1), port("data_i", &Input::data, 16),
           port("balance_i", &Input::balance, 4)},
          {port("valid_o", &Output::valid, 1), port("query_o", &Output::query, 1),
           port("value_o", &Output::value, 1), port("rejected_o", &Output::rejected, 1),
           port("rejected_query_o", &Output::rejected_query, 1),
           port("exponent_o", &Output::exponent, static_cast<std::size_t>(exponent_bits) + 2),
           port("data_o", &Output::data, 16)}};
}

struct Case {
  std::array<std::uint16_t, 2> data{};
  std::array<std::int8_t, 2> balance{};
  int stream = 0;  ///< 0 key, 1 query, 2 value
};

/// Both elements with every exponent field and every balance exponent, in every stream. In a
/// field one fraction in eight is 0, one in eight all ones.
std::vector<Case> all_pairs(const std::vector<int>& fields, int fraction_bits) {
  std::mt19937_64 random(3);
  const unsigned ones = (1U << fraction_bits) - 1;
  const auto element = [&](int field) {
    const auto bits = static_cast<unsigned>(random());
    const unsigned fraction = bits % 8 == 0 ? 0 : bits % 8 == 1 ? ones : bits >> 8 & ones;
    return static_cast<std::uint16_t>((bits >> 31 << 15) |
                                      static_cast<unsigned>(field) << fraction_bits | fraction);
  };
  std::vector<Case> all;
  for (const int first : fields)
    for (const int second : fields)
      for (int exponents = 0; exponents < 256; ++exponents)
        for (int stream = 0; stream < 3; ++stream)
          all.push_back({{element(first), element(second)},
                         {static_cast<std::int8_t>(exponents / 16 - 8),
                          static_cast<std::int8_t>(exponents % 16 - 8)},
                         stream});
  return all;
}

constexpr std::size_t kFirst = 4, kRejected = 1, kLatency = 3;

/// Vectors whose outputs differ from golden's.
::test::Tally compare(ElementFormat format, const std::vector<int>& fields,
                      const Mutant* mutant = nullptr) {
  const bool half = format == ElementFormat::fp16;
  const int exponent_bits = half ? 5 : 8, bias = half ? 15 : 127;
  const std::vector<Case> all = all_pairs(fields, 15 - exponent_bits);
  std::vector<Input> inputs(kFirst + all.size() + kLatency + 1);
  inputs[0].reset = inputs[1].reset = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Input& in = inputs[kFirst + i];
    in.valid = true;
    in.query = all[i].stream == 1;
    in.value = all[i].stream == 2;
    in.data = all[i].data;
    inputs[kFirst + i + 1].balance = all[i].balance;
  }
  const std::vector<Output> outputs = run_unit(bench(exponent_bits), inputs, mutant);
  ::test::Tally wrong;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Case& c = all[i];
    std::array<std::int8_t, 2> powers{};
    for (std::size_t k = 0; k < 2; ++k)
      powers[k] = static_cast<std::int8_t>(c.stream == 0   ? -c.balance[k]
                                           : c.stream == 1 ? c.balance[k]
                                                           : 0);
    std::array<std::int32_t, 2> m{};
    int e = 0;
    const bool finite = align_ref(c.data.data(), 2, format, 16, m.data(), &e, powers.data());
    const Output &early = outputs[kFirst + i + kRejected], &out = outputs[kFirst + i + kLatency];
    COMPARE(wrong, early.rejected, !finite, i);
    if (early.rejected) COMPARE(wrong, early.rejected_query, c.stream == 1, i);
    COMPARE(wrong, out.valid, finite, i);
    if (!finite) continue;
    COMPARE(wrong, std::tuple(out.query, out.value), std::tuple(c.stream == 1, c.stream == 2), i);
    COMPARE(wrong, out.exponent - bias - 14, e, i, c.data, c.balance, c.stream);
    COMPARE(wrong, out.data, m, i, c.data, c.balance, c.stream);
  }
  return wrong;
}

std::vector<int> every_field() {
  std::vector<int> fields(32);
  for (int i = 0; i < 32; ++i) fields[static_cast<std::size_t>(i)] = i;
  return fields;
}

}  // namespace

TEST_CASE("align alone: two elements with every field and every exponent, in every stream") {
  CHECK(compare(ElementFormat::fp16, every_field()) == 0);
  CHECK(compare(ElementFormat::bf16,
                {0, 1, 2, 3, 9, 100, 126, 127, 128, 140, 200, 247, 253, 254, 255}) == 0);
}

TEST_CASE("a fault planted in the exponents of align shows") {
  check_caught({{"a field of zeros without an exponent", "axelram_align",
                 "place_of = place_of + PlaceBits'(addend);",
                 "place_of = place_of + (field == '0 ? PlaceBits'(8) : PlaceBits'(addend));"},
                {"a place without its highest bit", "axelram_align",
                 "localparam int PlaceBits = Balance ? ExpBits + 1 : ExpBits;",
                 "localparam int PlaceBits = ExpBits;"},
                {"a field without a sign", "axelram_align",
                 "localparam int FieldBits = Balance ? ExpBits + 2",
                 "localparam int FieldBits = Balance ? ExpBits + 1"}},
               [](const Mutant* mutant) {
                 return compare(ElementFormat::fp16, {0, 1, 2, 15, 29, 30, 31}, mutant);
               });
}

}  // namespace axelram::sim
