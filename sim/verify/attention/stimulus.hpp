#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/run/script.hpp"
#include "verify/macro/stimulus.hpp"

namespace axelram::sim {

/// Makes scripts for one configuration with attention. The same seed gives the same scripts.
class AttentionStimulus {
 public:
  AttentionStimulus(const files::Config& config, std::uint64_t seed);

  /// Tokens, then groups, by the default commands: what the cycle model predicts.
  run::AttentionScript plain(std::size_t tokens, std::size_t groups);
  /// Corner cases of the numerics: each as a key, as a value alone in its segment, and as a query;
  /// NaN and infinity at both ends of each.
  run::AttentionScript directed();
  /// Scores that rise at every token, fall, stay, and one token against equals; norms of values
  /// that are zero first, last and everywhere.
  run::AttentionScript maxima();
  /// `steps` items, commands and clears in random order, some of which are bad.
  run::AttentionScript random(std::size_t steps);
  /// Outputs and scores held for 10^4 cycles, with appends, commands and groups behind them.
  run::AttentionScript held();
  /// Other softmax scales, loaded between groups.
  run::AttentionScript scales();
  /// With rotation_memory ram: rows of the rotations, loaded between items of segments that have
  /// tokens already.
  run::AttentionScript rotations();
  /// With a code: stored and transient errors in keys and values of every weight under every
  /// erasure policy, with and without write-back.
  run::AttentionScript errors();
  /// With a scrubber: errors in tokens that follow each other in one place, so that scrubs of it
  /// meet new tokens.
  run::AttentionScript scrubs();
  /// Tokens for one place as fast as they are taken: scrubs may not read what is written.
  run::AttentionScript appends();

 private:
  using Kind = files::SegmentCommand::Kind;
  /// Longer segments would make runs long without new corners.
  static constexpr std::uint32_t kLongest = 24;

  void begin();
  run::AttentionScript end();
  void take(const files::SegmentCommand& command);
  void allocate(std::uint32_t segment, std::uint32_t capacity, std::uint32_t sinks, bool wrap);
  void reallocate(std::uint32_t segment, std::uint32_t capacity);
  void append(std::uint32_t segment, const Vector& key, const Vector& value);
  /// A group of these queries, then any others.
  void group(std::uint32_t segment, std::vector<Vector> queries, bool scores = false);
  void bad_allocation();
  void random_command(std::uint32_t segment);
  void load_rotation(Vector center);
  Vector nearly_one_hot(double ratio) const;
  Vector scaled(const Vector& vector, double factor) const;
  std::uint32_t below(std::size_t bound) {
    return static_cast<std::uint32_t>(vectors_.below(bound));
  }

  const files::Config& config_;
  Stimulus vectors_;
  std::uint32_t segments_;  ///< that have a share of the places
  std::uint32_t share_;
  std::size_t group_;
  run::AttentionScript script_;
};

}  // namespace axelram::sim
