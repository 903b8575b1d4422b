#include <stdexcept>

#include "axelram/code.hpp"
#include "axelram/hsiao.hpp"

namespace axelram {
namespace {

/// P from its rows as printed. Throws std::logic_error for rows of different lengths.
ParityMatrix printed_matrix(const std::vector<std::string_view>& rows) {
  ParityMatrix matrix{static_cast<int>(rows.front().size()), {}};
  for (const std::string_view row : rows) {
    if (row.size() != rows.front().size())
      throw std::logic_error("a code has printed rows of different lengths");
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] == '1') bits |= 1U << j;
    matrix.rows.push_back(bits);
  }
  return matrix;
}

/// P of the family's member `name`, or nothing if the family has no such member.
std::optional<ParityMatrix> matrix_of(const CodeFamily& family, std::string_view name) {
  if (family.construct != nullptr) return family.construct(name);
  if (name != family.name) return std::nullopt;
  return printed_matrix(family.parity_rows);
}

[[noreturn]] void reject_name(const std::string& name) {
  std::string known;
  std::string constructed;
  for (const CodeFamily& family : code_families()) {
    known += (known.empty() ? "" : ", ") + std::string(family.name);
    if (family.construct != nullptr)
      constructed += ", such as " + std::string(family.examples.back());
  }
  throw std::invalid_argument("no code is called '" + name + "'; known are " + known + constructed);
}

}  // namespace

const std::vector<CodeFamily>& code_families() {
  static const std::vector<CodeFamily> families = {
      {.name = "hamming74",  // references.md#ecc-kv-cache, equation 17
       .help = "Hamming(7,4): corrects one error in 4 bits",
       .parity_rows = {"110", "101", "011", "111"},
       .kernel = CodeKernel::hamming74,
       .examples = {"hamming74"}},
      {.name = "hamming84",  // references.md#ecc-kv-cache, equation 22
       .help = "Hamming(8,4): corrects one error in 4 bits, detects two",
       .parity_rows = {"1101", "1011", "0111", "1110"},
       .parity_bit = 3,
       .kernel = CodeKernel::hamming84,
       .examples = {"hamming84"}},
      {.name = "golay24",  // references.md#ecc-kv-cache, equations 31 and 33
       .help = "Golay(24,12): corrects three errors in 12 bits, detects four",
       .parity_rows = {"110111000101", "101110001011", "011100010111", "111000101101",
                       "110001011011", "100010110111", "000101101111", "001011011101",
                       "010110111001", "101101110001", "011011100011", "111111111110"},
       .correction_radius = 3,
       .decoder = DecoderUnit::golay,
       .kernel = CodeKernel::golay24,
       .examples = {"golay24"}},
      {.name = "hsiao_N_K",
       .help = "Hsiao SECDED of N bits, K of them data: corrects one error, detects two",
       .construct = hsiao_matrix,
       .examples = {"hsiao_22_16", "hsiao_39_32", "hsiao_72_64"}},
  };
  return families;
}

std::vector<std::string> code_family_names() {
  std::vector<std::string> names;
  for (const CodeFamily& family : code_families()) names.emplace_back(family.name);
  return names;
}

Code make_code(const std::string& name) {
  for (const CodeFamily& family : code_families()) {
    const std::optional<ParityMatrix> matrix = matrix_of(family, name);
    if (!matrix) continue;
    Code code = derive_code(name, *matrix, family.parity_bit);
    code.family = &family;
    if (code.correctable != family.correction_radius)
      throw std::logic_error(name + " corrects " + std::to_string(code.correctable) +
                             " errors; its row in code_families() says " +
                             std::to_string(family.correction_radius));
    return code;
  }
  reject_name(name);
}

}  // namespace axelram
