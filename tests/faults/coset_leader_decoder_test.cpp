#include "axelram/faults/coset_leader_decoder.hpp"

#include <stdexcept>

#include "axelram/faults/profiles.hpp"
#include "golden/fields.hpp"
#include "setup.hpp"

namespace {

using namespace axelram;
using namespace axelram::faults;

/// A code whose decoding table has one wrong entry.
Code spoilt(const char* name) {
  Code code = make_code(name);
  const std::uint32_t syndrome = syndrome_ref(code, {0b1, 0});
  code.patterns[syndrome].error.data ^= 0b10;
  return code;
}

TEST_CASE("the closed forms' decoder agrees with every code's table") {
  for (const char* name : {"hamming74", "hamming84", "golay24", "hsiao_72_64", "hsiao_13_8"}) {
    CASE(name);
    const Code code = make_code(name);
    const CosetLeaderDecoder decoder(code);
    CHECK(correction_radius(code) == code.correctable);
    REQUIRE(decoder.size() == code.patterns.size());
    for (std::size_t s = 0; s < decoder.size(); ++s) {
      CASE(s);
      CHECK_SAME(decoder[s].error, code.patterns[s].error);
      CHECK(decoder[s].status == code.patterns[s].status);
    }
  }
}

TEST_CASE("closed forms do not move with the decoder's table") {
  const test::Setup setup;
  for (const char* name : {"hamming84", "golay24"}) {
    CASE(name);
    const Code right = make_code(name), wrong = spoilt(name);
    CHECK_SAME(word_profile(wrong).corrected.counts, word_profile(right).corrected.counts);
    CHECK_SAME(word_profile(wrong).miscorrected.counts, word_profile(right).miscorrected.counts);
    CHECK_SAME(part_profile(wrong, 0, 2, true).undetected[0].counts,
               part_profile(right, 0, 2, true).undetected[0].counts);
    FaultModel model;
    model.kind = ModelKind::single_flip;
    const RecordCode good(right, setup.config.parameters), bad(wrong, setup.config.parameters);
    const FaultSource source(model, {}, good.words(), right.n);
    CHECK(pattern_table(bad, model, source, source.bits()).words[kMiscorrected].mean() == 0);
    CHECK(pattern_table(bad, model, source, source.bits()).words[kCorrected].mean() ==
          pattern_table(good, model, source, source.bits()).words[kCorrected].mean());
  }
}

TEST_CASE("a code that does not correct the errors of its family is rejected") {
  Code code = make_code("golay24");
  code.parity_rows[3] = code.parity_rows[4];
  CHECK_THROWS_AS(CosetLeaderDecoder{code}, std::logic_error);
}

}  // namespace
