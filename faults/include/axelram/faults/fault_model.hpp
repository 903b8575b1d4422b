#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/names.hpp"

namespace axelram::faults {

/// Faults of a stored string of N physical bits. Every model draws Philox4x32-10 with the key and
/// the counter words token, place and trial of bit-contract.md#bit-errors. The first counter word
/// separates the draws. The bit contract uses bit/4 < 2^28; the other models start above it:
///   0x80000000 + bit/4   stuck: a cell is stuck if its word is below the flip limit
///   0x90000000 + bit/4   stuck: the top bit is the value of the cell
///   0xA0000000           burst: word 0 decides on an upset, word 1 its first bit, word 2 its width
///   0xB0000000 + ...     sampling by weight (strata.hpp)
enum class ModelKind { bsc, burst, stuck, single_flip };

}  // namespace axelram::faults

template <>
struct axelram::EnumNames<axelram::faults::ModelKind> {
  using Kind = faults::ModelKind;
  static constexpr EnumRow<Kind> rows[] = {
      {Kind::bsc, "bsc", "binary symmetric channel: each bit flips with the same probability"},
      {Kind::burst, "burst", "upsets: one upset flips adjacent bits of a stored string"},
      {Kind::stuck, "stuck", "stuck cells: each is stuck with the same probability, at 0 or 1"},
      {Kind::single_flip, "single-flip", "trial i flips bit i of every stored string"}};
};

namespace axelram::faults {

/// Width of an upset and its relative frequency.
struct Width {
  int bits;  ///< 1..32
  double weight;
};

struct FaultModel {
  ModelKind kind = ModelKind::bsc;
  /// Probability that a bit flips (bsc), a string suffers an upset (burst) or a cell is stuck;
  /// unused for single flips.
  double rate = 0;
  std::vector<Width> widths;  ///< burst only
  /// Physical bit i*W + j holds bit i of codeword j, W codewords: adjacent cells belong to
  /// different codewords.
  bool interleave = false;
};

/// Origin of the faults of one macro: seed, layer and KV head.
struct Site {
  std::uint64_t seed = 0;
  std::uint32_t layer = 0, head = 0;
};

/// Draws the masks of the stored strings of one code. Immutable, may be shared by threads.
class FaultSource {
 public:
  FaultSource(const FaultModel& model, const Site& site, std::size_t words, int n);

  /// Draws one mask. mask: stored bits in the order of the codewords, overwritten. stored: the
  /// string as written, which decides if a stuck cell is wrong. Returns true if any bit is set.
  /// Throws std::out_of_range for a single flip past the last bit.
  bool draw(std::uint32_t token, std::uint32_t trial, const std::uint8_t* stored,
            std::uint8_t* mask) const;

  /// The rate as the generator draws it: rounded down to a multiple of 2^-32.
  double exact_rate() const;
  /// Probability of each width of an upset, rounded in the same way.
  std::vector<double> exact_widths() const;

  /// Codeword bit of a physical bit.
  std::size_t logical(std::size_t physical) const;
  std::size_t bits() const { return words_ * n_; }

 private:
  void burst(std::uint32_t token, std::uint32_t trial, std::uint8_t* mask) const;
  void stuck(std::uint32_t token, std::uint32_t trial, const std::uint8_t* stored,
             std::uint8_t* mask) const;
  void single_flip(std::uint32_t trial, std::uint8_t* mask) const;
  void deinterleave(std::uint8_t* mask) const;

  FaultModel model_;
  Site site_;
  std::size_t words_, n_;
  std::uint64_t threshold_;
  std::vector<std::uint64_t> width_thresholds_;  // cumulative
};

}  // namespace axelram::faults
