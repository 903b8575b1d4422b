#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/codebook.hpp"
#include "axelram/files/config.hpp"
#include "axelram/sim/driver.hpp"
#include "axelram/trellis.hpp"

namespace axelram::sim {

/// Makes vectors and command lists for one configuration. The same seed gives the same commands.
class Stimulus {
 public:
  Stimulus(const files::Config& config, std::uint64_t seed)
      : config_(config),
        order_(channel_order(config.head_rotation.high_channels, config.parameters.head_dim)),
        random_(seed) {}

  /// One finite vector of a random kind.
  Vector any();
  /// Finite corner cases of the numerics, and vectors with a NaN or an infinity.
  const std::vector<Vector>& corners();
  std::vector<Vector> rejected();
  Vector filled(std::uint16_t element) const;
  Vector gaussian(double scale);
  std::uint16_t encode(double value) const;
  std::uint16_t largest() const { return static_cast<std::uint16_t>(infinity() - 1); }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  /// A mask over a stored key: `lightest` to `heaviest` bits in each of about one in `sparsity`
  /// codewords.
  std::vector<std::uint8_t> mask(const Code& code, int lightest, int heaviest,
                                 std::uint64_t sparsity);
  /// A mask that makes about half of the words of a key uncorrectable, and its norm in half of the
  /// cases.
  std::vector<std::uint8_t> erasing(const Code& code);

  /// Corner cases of the numerics: zeros, subnormals, largest finite values, one-hot, ties on
  /// boundaries, saturated norms, NaN and infinity at both ends; each as key and as query.
  std::vector<Command> directed();
  /// `vectors` keys and queries in random order, with rejections, clears and counter clears.
  std::vector<Command> random(std::size_t vectors);
  /// Resets in every state and inside a vector, with traffic around them.
  std::vector<Command> resets();
  /// Fills the store, tries three more keys, and scores.
  std::vector<Command> full_store();
  /// Clears before keys are stored, and queries of an empty store.
  std::vector<Command> clears();
  /// Records from outside between keys and queries, and, with exact tokens, queries behind every
  /// place of them.
  std::vector<Command> records();
  /// With a code: stored and transient errors of every weight under every erasure policy, with and
  /// without write-back.
  std::vector<Command> errors();
  /// With a code: uncorrectable words in every order of neighbours, and norms whose mean is a tie,
  /// subnormal or beyond 65504.
  std::vector<Command> erasures();
  /// With a scrubber: scrubs during keys, queries, clears and resets.
  std::vector<Command> scrubs();

 private:
  Vector one_hot(int at, std::uint16_t element) const;
  Vector raw_below(std::uint16_t bound);
  Vector mixed();
  /// Of a part of a key: parameters, words, y and N.
  using Wanted = std::function<bool(const Parameters&, const CodebookRom&,
                                    const std::vector<std::int32_t>&, std::uint32_t)>;
  Vector search(const Wanted& wanted);
  std::size_t channel(std::size_t i) const;
  Vector tie();
  Vector trellis_tie(bool TrellisCorners::*corner);
  Vector spike() const;
  Vector rounded_up_residual() const;
  Vector zero_in_second_rotation();
  Vector without(int part);
  Vector norm_edge(bool above) const;
  Vector all_ones() const;
  Vector scale_tie() const;
  Vector near_center();
  /// The key, or query, that exponents make `vector`.
  Vector key_of(Vector vector) const;
  Vector query_of(Vector vector) const;
  /// Flips `weight` more bits of one codeword.
  void add_errors(const Code& code, std::size_t word, int weight, std::vector<std::uint8_t>* mask);
  /// Mask that changes the stored codewords of `key` to those of another norm.
  std::vector<std::uint8_t> renorming(const Code& code, const Vector& key, unsigned norm);

  std::uint16_t infinity() const;
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  double normal();

  const files::Config& config_;
  std::vector<std::uint16_t> order_;  ///< channels of the rotated elements; empty: their own
  std::mt19937_64 random_;
  std::vector<Vector> corners_;
};

}  // namespace axelram::sim
