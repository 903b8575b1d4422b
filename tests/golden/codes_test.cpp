#include "axelram/golay.hpp"
#include "axelram/hamming.hpp"
#include "check.hpp"
#include "golden/code_examples.hpp"
#include "golden/code_properties.hpp"
#include "golden/fields.hpp"
#include "tally.hpp"

using namespace axelram;
using code_properties::split;

TEST_CASE("Hamming(8,4) by syndrome and parity equals the table on every word") {
  const Code code = make_code("hamming84");
  int counts[4] = {};
  for (std::uint32_t received = 0; received < 256; ++received) {
    CASE(received);
    const Decoded table = decode_ref(code, split(code, received));
    const Decoded logic = decode_hamming84_ref(code, split(code, received));
    CHECK_SAME(logic.word, table.word);
    CHECK(logic.status == table.status);
    ++counts[static_cast<int>(logic.status)];
  }
  CHECK(counts[0] == 16);
  CHECK(counts[1] == 16 * 7);
  CHECK(counts[2] == 16);
  CHECK(counts[3] == 16 * 7);
}

TEST_CASE("algebraic Golay decoding equals the table on every word") {
  const Code code = make_code("golay24");
  test::Tally different;
  std::uint32_t counts[4] = {};
  for (std::uint32_t received = 0; received < 1U << 24; ++received) {
    const Decoded table = decode_ref(code, split(code, received));
    const Decoded logic = decode_golay_algebraic_ref(code, split(code, received));
    COMPARE(different, logic.word, table.word, received);
    COMPARE(different, logic.status, table.status, received);
    ++counts[static_cast<int>(logic.status)];
  }
  CHECK(different == 0);
  CHECK(counts[0] == 4096);
  CHECK(counts[1] == 4096 * 2324);
  CHECK(counts[2] == 0);
  CHECK(counts[3] == 4096 * 1771);
}

TEST_CASE("every single error of every code is corrected, in data and in check bits") {
  std::vector<std::string> names = code_examples();
  names.emplace_back("hsiao_4_1");
  for (const std::string& name : names) {
    CASE(name);
    const Code code = make_code(name);
    const Word sent = encode_ref(code, 0x9E3779B97F4A7C15 & ~std::uint64_t{0} >> (64 - code.k));
    CHECK(decode_ref(code, sent).status == WordStatus::clean);
    CHECK_SAME(decode_ref(code, sent).word, sent);
    for (int i = 0; i < code.n; ++i) {
      CASE(i);
      Word received = sent;
      if (i < code.k)
        received.data ^= std::uint64_t{1} << i;
      else
        received.check ^= 1U << (i - code.k);
      const Decoded decoded = decode_ref(code, received);
      CHECK_SAME(decoded.word, sent);
      const bool parity = code.parity_bit >= 0 && i == code.k + code.parity_bit;
      CHECK(decoded.status == (parity ? WordStatus::parity_only : WordStatus::corrected));
    }
  }
}
