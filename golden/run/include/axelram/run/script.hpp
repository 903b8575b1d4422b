#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "axelram/attention_macro.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/key_store.hpp"
#include "axelram/unit_table.hpp"

namespace axelram::run {

/// One struct for each kind of step.
namespace attention_step {

/// A command of a trace.
struct Take {
  files::SegmentCommand command;
};
/// A group of the next queries that asks for scores in place of outputs.
struct Score {
  std::uint32_t segment;
};
/// A kind that no item or no command has: of a group of zero vectors, or of a command.
struct Bad {
  bool item;
};
/// Empties all segments.
struct Clear {};
/// Holds outputs and scores for some cycles from now on; what follows is offered meanwhile.
struct Hold {
  int cycles;
};

// These wait until nothing is under way.
/// Loads the softmax scale.
struct LoadScale {
  double scale;
};
/// Loads a row of the rotations; with rotation_memory ram.
struct LoadRotation {
  std::size_t row;
  RotationRow rotation;
};
/// Clears error flags and counters.
struct ClearErrors {};
/// Loads the injection register of the keys or of the values.
struct Inject {
  bool of_values;
  Injection mode;
  std::vector<std::uint8_t> mask;  ///< bytes of a stored record
};
/// Loads the registers for erasures and write-back.
struct Protect {
  ErasurePolicy erasure;
  bool write_back;
};

}  // namespace attention_step

using AttentionStep =
    std::variant<attention_step::Take, attention_step::Score, attention_step::Bad,
                 attention_step::Clear, attention_step::Hold, attention_step::LoadScale,
                 attention_step::LoadRotation, attention_step::ClearErrors, attention_step::Inject,
                 attention_step::Protect>;

/// What a macro with attention is told, in order. An append takes the next key and value of the
/// trace, a group its next queries; behind the last query it is filled up with zero vectors.
struct AttentionScript {
  files::Trace vectors;  ///< its commands are not looked at
  std::vector<AttentionStep> steps;
};

/// The commands of a trace, or the default ones.
AttentionScript script_of(const files::Config& config, const files::Trace& trace);

/// What the golden macro does. `refused` has an element for each step; counters are those since the
/// last ClearErrors.
struct GoldenScript {
  files::Result result;
  std::vector<std::uint8_t> refused;
  AttentionCounters events;
  KeyStoreEvents key_events, value_events;  ///< likewise
};

/// Sees what the golden macro does.
class ScriptObserver {
 public:
  virtual ~ScriptObserver() = default;
  /// Before a step.
  virtual void on_step(const AttentionMacro&, const AttentionStep&) {}
  virtual void on_token(const TokenResult&) {}
  virtual void on_group(const GroupResult&) {}
};

GoldenScript golden_script(const files::Config& config, const AttentionScript& script,
                           const UnitTable& units = reference_units(),
                           ScriptObserver* observer = nullptr);

}  // namespace axelram::run
