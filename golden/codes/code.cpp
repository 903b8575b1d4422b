#include "axelram/code.hpp"

#include <algorithm>

namespace axelram {
namespace {

/// `word` with bit i of its codeword flipped.
Word flip(const Code& code, Word word, int i) {
  if (i < code.k)
    word.data ^= std::uint64_t{1} << i;
  else
    word.check ^= 1U << (i - code.k);
  return word;
}

/// Calls visit(error) for every error pattern of `weight` bits from bit `first` on.
template <typename Visit>
void for_each_error(const Code& code, int weight, int first, const Word& error, Visit visit) {
  if (weight == 0) {
    visit(error);
    return;
  }
  for (int i = first; i <= code.n - weight; ++i)
    for_each_error(code, weight - 1, i + 1, flip(code, error, i), visit);
}

/// Coset leaders: t grows as long as all patterns of weight <= t have distinct syndromes.
void derive_patterns(Code* code) {
  const auto syndromes = std::size_t{1} << code->check_bits();
  code->patterns.assign(syndromes, {{}, WordStatus::detected});
  code->patterns[0].status = WordStatus::clean;
  for (int weight = 1;; ++weight) {
    std::vector<ErrorPattern> patterns = code->patterns;
    bool distinct = true;
    for_each_error(*code, weight, 0, {}, [&](const Word& error) {
      ErrorPattern& pattern = patterns[syndrome_ref(*code, error)];
      distinct = distinct && pattern.status == WordStatus::detected;
      pattern = {error, WordStatus::corrected};
    });
    if (!distinct) return;
    code->patterns = std::move(patterns);
    code->correctable = weight;
    if (weight == 1 && code->parity_bit >= 0)
      code->patterns[std::size_t{1} << code->parity_bit].status = WordStatus::parity_only;
  }
}

}  // namespace

Code derive_code(const std::string& name, const ParityMatrix& matrix, int parity_bit) {
  Code code;
  code.name = name;
  code.k = static_cast<int>(matrix.rows.size());
  code.n = code.k + matrix.check_bits;
  code.parity_bit = parity_bit;
  code.parity_rows = matrix.rows;
  derive_patterns(&code);
  return code;
}

std::uint32_t check_bits_ref(const Code& code, std::uint64_t data) {
  std::uint32_t check = 0;
  for (int i = 0; i < code.k; ++i)
    if ((data >> i & 1U) != 0) check ^= code.parity_rows[static_cast<std::size_t>(i)];
  return check;
}

std::uint32_t syndrome_ref(const Code& code, const Word& received) {
  return check_bits_ref(code, received.data) ^ received.check;
}

Decoded decode_ref(const Code& code, const Word& received) {
  const ErrorPattern& pattern = code.patterns[syndrome_ref(code, received)];
  return {{received.data ^ pattern.error.data, received.check ^ pattern.error.check},
          pattern.status};
}

bool Code::detects_errors() const {
  return std::any_of(patterns.begin(), patterns.end(),
                     [](const ErrorPattern& one) { return one.status == WordStatus::detected; });
}

}  // namespace axelram
