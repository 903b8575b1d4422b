#include "axelram/code.hpp"

#include <charconv>
#include <stdexcept>
#include <string_view>

#include "axelram/bit_string.hpp"

namespace axelram {
namespace {

/// Bit i of a codeword flipped.
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

/// Coset leaders: t grows while every pattern of weight <= t has a syndrome of its own.
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

Code printed_code(const CodeFamily& family) {
  Code code;
  code.name = family.name;
  code.k = static_cast<int>(family.parity_rows.size());
  code.n = code.k + static_cast<int>(family.parity_rows[0].size());
  for (const std::string_view row : family.parity_rows) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] == '1') bits |= 1U << j;
    code.parity_rows.push_back(bits);
  }
  return code;
}

[[noreturn]] void unknown(const std::string& name) {
  std::string known;
  for (const std::string& family : code_family_names())
    known += (known.empty() ? "" : ", ") + family;
  throw std::invalid_argument("no code is called '" + name + "'; known are " + known +
                              ", such as hsiao_72_64");
}

Code hsiao_code(const std::string& name) {
  const std::string_view prefix = "hsiao_";
  const char* const end = name.data() + name.size();
  Code code;
  code.name = name;
  const auto first = std::from_chars(name.data() + prefix.size(), end, code.n);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '_') unknown(name);
  const auto second = std::from_chars(first.ptr + 1, end, code.k);
  if (second.ec != std::errc() || second.ptr != end) unknown(name);
  const std::string canonical =
      std::string(prefix) + std::to_string(code.n) + "_" + std::to_string(code.k);
  if (name != canonical) unknown(name);
  const bool in_range =
      code.k >= 1 && code.k <= 64 && code.n >= code.k + 3 && code.n <= code.k + 12;
  if (!in_range)
    throw std::invalid_argument("code '" + name +
                                "': K must lie in 1..64 and N - K, the check bits, in 3..12");
  code.parity_rows = hsiao_columns(code.check_bits(), code.k);
  return code;
}

/// Rows of H, each with the number of ones so far.
struct RowLoads {
  std::vector<int> ones;
  void add(std::uint32_t column, int amount) {
    for (std::size_t j = 0; j < ones.size(); ++j)
      if ((column >> j & 1U) != 0) ones[j] += amount;
  }
  int squares() const {
    int sum = 0;
    for (const int n : ones) sum += n * n;
    return sum;
  }
};

/// Exchanges a used column for an unused one while that evens the rows out.
void balance(std::vector<std::uint32_t>* used, std::size_t first_used,
             std::vector<std::uint32_t>* unused, RowLoads* loads) {
  for (bool better = true; better;) {
    better = false;
    for (std::size_t i = first_used; i < used->size() && !better; ++i)
      for (std::size_t u = 0; u < unused->size() && !better; ++u) {
        const int before = loads->squares();
        loads->add((*used)[i], -1);
        loads->add((*unused)[u], +1);
        better = loads->squares() < before;
        if (better) {
          std::swap((*used)[i], (*unused)[u]);
        } else {
          loads->add((*unused)[u], -1);
          loads->add((*used)[i], +1);
        }
      }
  }
}

}  // namespace

std::vector<std::uint32_t> hsiao_columns(int check_bits, int k) {
  const auto wanted = static_cast<std::size_t>(k);
  std::vector<std::uint32_t> columns;
  RowLoads loads{std::vector<int>(static_cast<std::size_t>(check_bits))};
  for (int ones = 3; ones <= check_bits && columns.size() < wanted; ones += 2) {
    std::vector<std::uint32_t> unused;
    for (std::uint32_t word = 0; word < (1U << check_bits); ++word)
      if (weight(word) == ones) unused.push_back(word);
    const std::size_t first = columns.size();
    while (columns.size() < wanted && !unused.empty()) {
      columns.push_back(unused.front());
      loads.add(unused.front(), +1);
      unused.erase(unused.begin());
    }
    balance(&columns, first, &unused, &loads);
  }
  if (columns.size() < wanted)
    throw std::invalid_argument(std::to_string(check_bits) + " check bits protect at most " +
                                std::to_string(columns.size()) + " data bits with SECDED, not " +
                                std::to_string(k));
  return columns;
}

const std::vector<CodeFamily>& code_families() {
  static const std::vector<CodeFamily> families = {
      {"hamming74",
       "Hamming(7,4): corrects one error in 4 bits",  // ECC paper, equation 17
       {"110", "101", "011", "111"},
       1,
       -1,
       DecoderUnit::syndrome,
       CodeKernel::hamming74,
       {"hamming74"}},
      {"hamming84",
       "Hamming(8,4): corrects one error in 4 bits, detects two",  // equation 22
       {"1101", "1011", "0111", "1110"},
       1,
       3,
       DecoderUnit::syndrome,
       CodeKernel::hamming84,
       {"hamming84"}},
      {"golay24",
       "Golay(24,12): corrects three errors in 12 bits, detects four",  // equations 31, 33
       {"110111000101", "101110001011", "011100010111", "111000101101", "110001011011",
        "100010110111", "000101101111", "001011011101", "010110111001", "101101110001",
        "011011100011", "111111111110"},
       3,
       -1,
       DecoderUnit::golay,
       CodeKernel::golay24,
       {"golay24"}},
      {"hsiao_N_K",
       "Hsiao SECDED of N bits, K of them data: corrects one error, detects two",
       {},
       1,
       -1,
       DecoderUnit::syndrome,
       CodeKernel::table,
       {"hsiao_22_16", "hsiao_39_32", "hsiao_72_64"}},
  };
  return families;
}

std::vector<std::string> code_family_names() {
  std::vector<std::string> names;
  for (const CodeFamily& family : code_families()) names.emplace_back(family.name);
  return names;
}

Code make_code(const std::string& name) {
  Code code;
  for (const CodeFamily& family : code_families()) {
    const bool constructed = family.parity_rows.empty();
    if (constructed ? name.rfind("hsiao_", 0) != 0 : name != family.name) continue;
    code = constructed ? hsiao_code(name) : printed_code(family);
    code.family = &family;
    code.parity_bit = family.parity_bit;
  }
  if (code.family == nullptr) unknown(name);
  derive_patterns(&code);
  if (code.correctable != code.family->correction_radius)
    throw std::logic_error(name + " corrects " + std::to_string(code.correctable) +
                           " errors; its row in code_families() says " +
                           std::to_string(code.family->correction_radius));
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

}  // namespace axelram
