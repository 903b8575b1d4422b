#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace axelram {

/// A codeword of a systematic code (ECC paper, equation 11): k data bits, then n - k check bits.
/// Bit i of the codeword is bit i of data, or bit i - k of check.
struct Word {
  std::uint64_t data = 0;
  std::uint32_t check = 0;
  bool operator==(const Word& other) const { return data == other.data && check == other.check; }
  bool operator!=(const Word& other) const { return !(*this == other); }
};

/// What a decoder says about one received word.
enum class WordStatus : std::uint8_t {
  clean,        ///< a codeword
  corrected,    ///< within the correction radius of a codeword, and replaced by it
  parity_only,  ///< only the overall parity bit was hit (hamming84); put right as well
  detected      ///< uncorrectable: left as received, an erasure
};

struct ErrorPattern {
  Word error;         ///< to be XORed onto the received word; zero where it is left as it is
  WordStatus status;  ///< of the words with this syndrome
};

/// The hardware that decodes a family of codes.
enum class DecoderUnit : std::uint8_t {
  syndrome,  ///< one error by comparing the syndrome with the columns of H: hamming, SECDED
  golay      ///< three errors of golay24, algebraic or by ROM
};

/// A kernel for a GPU that computes one code by arithmetic; `table` takes any code.
enum class CodeKernel : std::uint8_t { table, hamming74, hamming84, golay24 };

/// One row for each family of codes. Configurations, options, help, reports, RTL, kernels and
/// `axelram list codes` read this table.
struct CodeFamily {
  std::string_view
      name;  ///< as ecc.code of a configuration has it; hsiao_N_K stands for many codes
  std::string_view help;
  /// Rows of P as printed, to the right of the identity: column j feeds check bit j. Empty where
  /// the rows are constructed.
  std::vector<std::string_view> parity_rows;
  int correction_radius;  ///< t
  int parity_bit;         ///< check bit of WordStatus::parity_only, or -1
  DecoderUnit decoder;
  CodeKernel kernel;
  std::vector<std::string_view> examples;  ///< members that tests and measurements cover
};
const std::vector<CodeFamily>& code_families();

/// Names of all families, as help and error messages list them.
std::vector<std::string> code_family_names();

/// A systematic binary linear code and everything that follows from its generator matrix
/// G = [I | P].
struct Code {
  std::string name;                        ///< as ecc.code of a configuration has it
  const CodeFamily* family = nullptr;      ///< row of code_families(); null for a code made by hand
  int n = 0;                               ///< codeword bits, at most 76
  int k = 0;                               ///< data bits, at most 64
  int correctable = 0;                     ///< t: all patterns of weight <= t are told apart
  int parity_bit = -1;                     ///< check bit of WordStatus::parity_only, or -1
  std::vector<std::uint32_t> parity_rows;  ///< k rows of P, n - k bits; bit j feeds check bit j
  std::vector<ErrorPattern> patterns;      ///< 2^(n-k), by syndrome

  int check_bits() const { return n - k; }
  /// Words that `bits` bits are cut into, the last one padded with zeros.
  std::size_t words(std::size_t bits) const {
    return (bits + static_cast<std::size_t>(k) - 1) / static_cast<std::size_t>(k);
  }
  /// Bytes of their codewords, written one after the other.
  std::size_t codeword_bytes(std::size_t bits) const {
    return (words(bits) * static_cast<std::size_t>(n) + 7) / 8;
  }
};

/// hamming74, hamming84, golay24 (ECC paper, equations 17, 22, 31) or hsiao_N_K: a Hsiao SECDED
/// code with K <= 64 data bits and N - K = 3..12 check bits. Throws std::invalid_argument for a
/// name that is none of these or an (N, K) that has no such code.
Code make_code(const std::string& name);

/// The columns of a Hsiao code's data bits: `k` distinct words of `check_bits` bits and odd weight
/// >= 3, lightest first, and among the heaviest used a choice that leaves the rows of H equally
/// heavy, to within one. Deterministic. Throws std::invalid_argument where there are too few.
std::vector<std::uint32_t> hsiao_columns(int check_bits, int k);

/// Check bits of `data` (k bits).
std::uint32_t check_bits_ref(const Code& code, std::uint64_t data);
/// Syndrome H r^T of a received word: 0 for a codeword.
std::uint32_t syndrome_ref(const Code& code, const Word& received);

struct Decoded {
  Word word;  ///< the codeword found, or the received word where it is uncorrectable
  WordStatus status;
};

inline Word encode_ref(const Code& code, std::uint64_t data) {
  return {data, check_bits_ref(code, data)};
}
/// Syndrome decoding by table (ECC paper, section 4.2.4).
Decoded decode_ref(const Code& code, const Word& received);

}  // namespace axelram
