#include <random>

#include "check.hpp"
#include "unit_model.hpp"

namespace axelram {
namespace {

/// Every data word and every received word.
Counts compare_all(const Code& code, const std::vector<rtl::GeneratedFile>& files) {
  Comparison comparison(code, files);
  const std::uint64_t data_mask = (std::uint64_t{1} << code.k) - 1;
  for (std::uint64_t word = 0; word < std::uint64_t{1} << code.n; ++word)
    comparison.add(word & data_mask,
                   {word & data_mask, static_cast<std::uint32_t>(word >> code.k)});
  return comparison.counts();
}

/// None for a bit beyond the word.
void flip(const Code& code, Word* word, int bit) {
  if (bit < code.k)
    word->data ^= std::uint64_t{1} << bit;
  else if (bit < code.n)
    word->check ^= 1U << (bit - code.k);
}

struct Unit {
  std::string code, decoder;
};

/// compare_all with `from` in one module replaced.
Counts faulty(const Unit& unit, const std::string& module, const std::string& from,
              const std::string& to) {
  std::vector<rtl::GeneratedFile> files = rtl::generate_code_unit({unit.code, unit.decoder, 0});
  for (rtl::GeneratedFile& file : files) {
    CASE(file.path);
    if (file.path == rtl::kCommonFolder + module + ".sv") {
      const std::size_t at = file.text.find(from);
      REQUIRE(at != std::string::npos);
      file.text.replace(at, from.size(), to);
    }
  }
  return compare_all(make_code(unit.code), files);
}

}  // namespace

TEST_CASE("RTL and golden agree on every data word and every received word") {
  for (const Unit& unit : {Unit{"hamming74", "algebraic"}, Unit{"hamming84", "algebraic"},
                           Unit{"golay24", "algebraic"}, Unit{"golay24", "rom"}}) {
    CASE(unit.code, unit.decoder);
    const Code code = make_code(unit.code);
    const Counts counts = compare_all(code, rtl::generate_code_unit({unit.code, unit.decoder, 0}));
    CHECK(counts.words == std::size_t{1} << code.n);
    CHECK(counts.wrong_encoded == 0);
    CHECK(counts.wrong_decoded == 0);
  }
}

TEST_CASE("RTL and golden agree on Hsiao codes: every error of up to three bits, and noise") {
  for (const char* name : {"hsiao_22_16", "hsiao_39_32", "hsiao_72_64"}) {
    CASE(name);
    const Code code = make_code(name);
    Comparison comparison(code, rtl::generate_code_unit({name, "algebraic", 0}));
    const std::uint64_t data_mask = ~std::uint64_t{0} >> (64 - code.k);
    std::mt19937_64 random(1);
    // Bits i < j < l flipped, of which three lie beyond the word: none to three errors.
    for (int i = 0; i < code.n + 1; ++i)
      for (int j = i + 1; j < code.n + 2; ++j)
        for (int l = j + 1; l < code.n + 3; ++l) {
          Word word = encode_ref(code, random() & data_mask);
          flip(code, &word, i);
          flip(code, &word, j);
          flip(code, &word, l);
          // Data words of two ones, every pair.
          const bool sparse = l <= code.k;
          const std::uint64_t few = std::uint64_t{1} << i % 64 | std::uint64_t{1} << j % 64;
          comparison.add(sparse ? few : random() & data_mask, word);
        }
    for (int i = 0; i < code.k; ++i)
      comparison.add(std::uint64_t{1} << i, encode_ref(code, std::uint64_t{1} << i));
    for (int i = 0; i < 200000; ++i) {
      const std::uint64_t check = random() & ((1U << code.check_bits()) - 1);
      comparison.add(random() & data_mask,
                     {random() & data_mask, static_cast<std::uint32_t>(check)});
    }
    const Counts counts = comparison.counts();
    const auto bits = static_cast<std::size_t>(code.n + 3);
    const auto data_bits = static_cast<std::size_t>(code.k);
    CHECK(counts.words == bits * (bits - 1) * (bits - 2) / 6 + data_bits + 200000);
    CHECK(counts.wrong_encoded == 0);
    CHECK(counts.wrong_decoded == 0);
  }
}

TEST_CASE("a fault planted in a unit shows") {
  // One wrong word of the ROM spoils the 4096 received words of its syndrome.
  const Counts rom = faulty({"golay24", "rom"}, "axelram_golay_rom",
                            "12'hfff: error_o = ", "12'hfff: error_o = ~");
  CHECK(rom.wrong_encoded == 0);
  CHECK(rom.wrong_decoded == 4096);
  // The parity bit alone is hit in 16 received words.
  const Counts status =
      faulty({"hamming84", "algebraic"}, "axelram_syndrome_decoder", "2'd2;", "2'd1;");
  CHECK(status.wrong_encoded == 0);
  CHECK(status.wrong_decoded == 16);
  // 10 of 16 data words have two ones among some column's three; each occurs 8 times.
  const Counts parity = faulty({"hamming74", "algebraic"}, "axelram_encoder", "^(data_i & column)",
                               "|(data_i & column)");
  CHECK(parity.wrong_encoded == 80);
  CHECK(parity.wrong_decoded == 80);
}

}  // namespace axelram
