#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace axelram {

/// A codeword of a systematic code: k data bits, then n - k check bits. Bit i of the codeword is
/// bit i of data, or bit i - k of check (references.md#ecc-kv-cache, equation 11).
struct Word {
  std::uint64_t data = 0;
  std::uint32_t check = 0;
  bool operator==(const Word& other) const { return data == other.data && check == other.check; }
  bool operator!=(const Word& other) const { return !(*this == other); }
};

/// Verdict of a decoder on one received word (bit-contract.md#word-status).
enum class WordStatus : std::uint8_t {
  clean,        ///< a codeword
  corrected,    ///< within the correction radius of a codeword, which replaces it
  parity_only,  ///< error in the overall parity bit alone (hamming84), corrected
  detected      ///< uncorrectable: an erasure, left as received
};

struct ErrorPattern {
  Word error;         ///< XORed onto the received word; zero if the word stays as received
  WordStatus status;  ///< of words with this syndrome
};

/// The hardware that decodes a family of codes.
enum class DecoderUnit : std::uint8_t {
  syndrome,  ///< one error: compares the syndrome with the columns of H (Hamming, SECDED)
  golay      ///< three errors of golay24: algebraic, or by a ROM
};

/// CUDA kernel of a code: arithmetic for one code, or `table` for any code.
enum class CodeKernel : std::uint8_t { table, hamming74, hamming84, golay24 };

/// P of a systematic code with the generator matrix G = [I | P].
struct ParityMatrix {
  int check_bits = 0;               ///< n - k: 1..12
  std::vector<std::uint32_t> rows;  ///< k rows; bit j feeds check bit j
};

/// One row for each family of codes (bit-contract.md#codes). Configurations, options, help,
/// reports, RTL, CUDA kernels and `axelram list codes` read this table. A code that is printed is
/// one row. A constructed family is one row and the function that computes P of a member.
struct CodeFamily {
  std::string_view name;  ///< as ecc.code of a configuration has it; hsiao_N_K: many codes
  std::string_view help;
  /// Rows of P as printed, to the right of the identity: character j feeds check bit j. Empty for a
  /// constructed family.
  std::vector<std::string_view> parity_rows = {};
  /// P of the member that is called `name`; nothing for a name of another family. Throws
  /// std::invalid_argument for a member that does not exist. Null for a printed code.
  std::optional<ParityMatrix> (*construct)(std::string_view name) = nullptr;
  int correction_radius = 1;  ///< t; make_code() checks it
  int parity_bit = -1;        ///< check bit of WordStatus::parity_only, or -1
  DecoderUnit decoder = DecoderUnit::syndrome;
  CodeKernel kernel = CodeKernel::table;
  std::vector<std::string_view> examples;  ///< members that tests and measurements cover
};
const std::vector<CodeFamily>& code_families();

/// Names of all families, as help and error messages list them.
std::vector<std::string> code_family_names();

/// A systematic binary linear code and everything that follows from its generator matrix
/// G = [I | P].
struct Code {
  std::string name;                    ///< as ecc.code of a configuration has it
  const CodeFamily* family = nullptr;  ///< row of code_families(); null for a code of derive_code()
  int n = 0;                           ///< codeword bits, at most 76
  int k = 0;                           ///< data bits, at most 64
  int correctable = 0;                 ///< t: patterns of weight <= t have distinct syndromes
  int parity_bit = -1;                 ///< check bit of WordStatus::parity_only, or -1
  std::vector<std::uint32_t> parity_rows;  ///< k rows of P, n - k bits; bit j feeds check bit j
  std::vector<ErrorPattern> patterns;      ///< 2^(n-k), by syndrome

  int check_bits() const { return n - k; }
  /// Whether some received words are uncorrectable (WordStatus::detected).
  bool detects_errors() const;
  /// Words of a string of `bits` bits, the last one padded with zeros.
  std::size_t words(std::size_t bits) const {
    return (bits + static_cast<std::size_t>(k) - 1) / static_cast<std::size_t>(k);
  }
  /// Bytes of the codewords of a string of `bits` bits, one after the other.
  std::size_t codeword_bytes(std::size_t bits) const {
    return (words(bits) * static_cast<std::size_t>(n) + 7) / 8;
  }
};

/// The code `name` of code_families(). Throws std::invalid_argument for a name of no family, or for
/// a member that its family does not have.
Code make_code(const std::string& name);

/// A code from its P alone, with correction radius and coset leaders. `parity_bit` as in
/// CodeFamily. family stays null.
Code derive_code(const std::string& name, const ParityMatrix& matrix, int parity_bit = -1);

/// Check bits of `data` (k bits).
std::uint32_t check_bits_ref(const Code& code, std::uint64_t data);
/// Syndrome H r^T of a received word: 0 for a codeword.
std::uint32_t syndrome_ref(const Code& code, const Word& received);

struct Decoded {
  Word word;  ///< the codeword found, or the received word if uncorrectable
  WordStatus status;
};

inline Word encode_ref(const Code& code, std::uint64_t data) {
  return {data, check_bits_ref(code, data)};
}
/// Decodes by a table of syndromes (references.md#ecc-kv-cache, section 4.2.4).
Decoded decode_ref(const Code& code, const Word& received);

}  // namespace axelram
