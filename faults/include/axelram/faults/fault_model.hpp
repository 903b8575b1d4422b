#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace axelram::faults {

/// Faults of a stored string of N physical bits. Every model draws Philox4x32-10 with the key and
/// the counter words token, place and trial of the bit contract (Bit errors); the first counter
/// word tells the draws apart. The contract's own is bit/4 < 2^28, so the others start above:
///   0x80000000 + bit/4   stuck: a cell is stuck where its word is below the threshold
///   0x90000000 + bit/4   stuck: the top bit is the value it is stuck at
///   0xA0000000           burst: word 0 decides on an upset, word 1 its first bit, word 2 its width
///   0xB0000000 + ...     weight-stratified sampling (stratified.hpp)
enum class ModelKind {
  bsc,         ///< binary symmetric channel: each bit flips with probability `rate`
  burst,       ///< with probability `rate` one upset flips adjacent bits of the string
  stuck,       ///< each cell is stuck with probability `rate`, at 0 or 1 alike
  single_flip  ///< trial i flips bit i of every string; `rate` is of no use
};

struct Width {
  int bits;       ///< 1..32
  double weight;  ///< relative
};

struct FaultModel {
  ModelKind kind = ModelKind::bsc;
  double rate = 0;
  std::vector<Width> widths;  ///< burst
  /// Physical bit i*W + j holds bit i of codeword j, W codewords: adjacent cells belong to
  /// different words.
  bool interleave = false;

  std::string name() const;  ///< bsc, burst, stuck or single-flip
};

/// Of the string of one key.
struct Site {
  std::uint64_t seed = 0;
  std::uint32_t layer = 0, head = 0;
};

/// Draws the masks of one code's strings; immutable, for any thread.
class FaultSource {
 public:
  FaultSource(const FaultModel& model, const Site& site, std::size_t words, int n);

  /// mask: stored bits in the order of the codewords. stored: the string as written (stuck cells
  /// may hold the right value). Returns whether any bit is set. Throws std::out_of_range for a
  /// single flip past the last bit.
  bool draw(std::uint32_t token, std::uint32_t trial, const std::uint8_t* stored,
            std::uint8_t* mask) const;

  /// The probability that a bit flips, or that an upset happens, as the generator draws it: a
  /// multiple of 2^-32.
  double exact_rate() const;
  /// Probability of each width, likewise.
  std::vector<double> exact_widths() const;

  /// Codeword bit of a physical one.
  std::size_t logical(std::size_t physical) const;
  std::size_t bits() const { return words_ * n_; }

 private:
  void burst(std::uint32_t token, std::uint32_t trial, std::uint8_t* mask) const;
  void stuck(std::uint32_t token, std::uint32_t trial, const std::uint8_t* stored,
             std::uint8_t* mask) const;
  void deinterleave(std::uint8_t* mask) const;

  FaultModel model_;
  Site site_;
  std::size_t words_, n_;
  std::uint64_t threshold_;
  std::vector<std::uint64_t> width_thresholds_;  // cumulative
};

}  // namespace axelram::faults
