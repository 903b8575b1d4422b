#include <random>

#include "check.hpp"
#include "unit_model.hpp"

namespace axelram {
namespace {

/// Random words with random gaps and occasional resets.
std::vector<UnitInput> gappy_inputs(const Code& code, std::size_t cycles) {
  std::mt19937_64 random(7);
  std::vector<UnitInput> inputs(cycles);
  for (std::size_t t = 0; t < cycles; ++t) {
    UnitInput& in = inputs[t];
    in.reset = t < 4 || random() % 64 == 0;
    in.encode_valid = random() % 2 == 0;
    in.decode_valid = random() % 2 == 0;
    in.data = random() & ((std::uint64_t{1} << code.k) - 1);
    in.received[0] = random() & ((std::uint64_t{1} << code.n) - 1);
  }
  return inputs;
}

struct Unit {
  std::string code, decoder;
  int stages;
};

struct Timing {
  std::size_t words = 0, wrong_valid = 0, wrong_word = 0;
  std::size_t moved = 0;  ///< outputs that changed without a valid word
};

Timing compare(const Unit& unit, const std::vector<rtl::GeneratedFile>& files) {
  const Code code = make_code(unit.code);
  const auto stages = static_cast<std::size_t>(unit.stages);
  const std::vector<UnitInput> inputs = gappy_inputs(code, 4000);
  const std::vector<UnitOutput> outputs = unit_model(code, files).run(inputs);

  Timing timing;
  for (std::size_t t = stages; t < outputs.size(); ++t) {
    const UnitInput& in = inputs[t - stages];
    const UnitOutput& out = outputs[t];
    // Asynchronous: also in the cycle of the output. Data that enter in reset are not valid.
    bool reset = false;
    for (std::size_t u = t - stages; u <= t; ++u) reset = reset || inputs[u].reset;
    timing.wrong_valid += out.encode_valid != (in.encode_valid && !reset);
    timing.wrong_valid += out.decode_valid != (in.decode_valid && !reset);
    if (out.encode_valid) {
      ++timing.words;
      timing.wrong_word += !(out.encoded == to_bits(code, encode_ref(code, in.data)));
    } else if (!reset) {
      timing.moved += !(out.encoded == outputs[t - 1].encoded);
    }
    if (out.decode_valid) {
      ++timing.words;
      const Word received{in.received[0] & ((std::uint64_t{1} << code.k) - 1),
                          static_cast<std::uint32_t>(in.received[0] >> code.k)};
      const Decoded decoded = decode_ref(code, received);
      timing.wrong_word += !(out.decoded == to_bits(code, decoded.word)) ||
                           out.status != static_cast<std::uint8_t>(decoded.status);
    } else if (!reset) {
      timing.moved +=
          !(out.decoded == outputs[t - 1].decoded) || out.status != outputs[t - 1].status;
    }
  }
  return timing;
}

std::vector<rtl::GeneratedFile> generated(const Unit& unit) {
  return rtl::generate_code_unit({unit.code, unit.decoder, unit.stages});
}

}  // namespace

TEST_CASE("a word takes as many cycles as there are stages, whatever is around it") {
  for (const Unit& unit : {Unit{"hamming74", "algebraic", 1}, Unit{"hamming84", "algebraic", 3},
                           Unit{"golay24", "algebraic", 3}, Unit{"golay24", "rom", 3}}) {
    CASE(unit.code, unit.stages);
    const Timing timing = compare(unit, generated(unit));
    CHECK(timing.words > 3000);
    CHECK(timing.wrong_valid == 0);
    CHECK(timing.wrong_word == 0);
    CHECK(timing.moved == 0);
  }
}

TEST_CASE("a stage too many, and registers that nothing holds, show") {
  const Unit unit{"hamming84", "algebraic", 2};
  const Timing late = compare(unit, generated({"hamming84", "algebraic", 3}));
  CHECK(late.wrong_valid > 1000);
  std::vector<rtl::GeneratedFile> files = generated(unit);
  for (rtl::GeneratedFile& file : files) {
    const std::string gate = "if (valid) data_q";
    const std::size_t at = file.text.find(gate);
    if (at != std::string::npos) file.text.replace(at, gate.size(), "data_q");
  }
  const Timing restless = compare(unit, files);
  CHECK(restless.wrong_valid == 0);
  CHECK(restless.wrong_word == 0);
  CHECK(restless.moved > 1000);
}

}  // namespace axelram
