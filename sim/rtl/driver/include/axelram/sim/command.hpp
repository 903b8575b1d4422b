#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "axelram/interpolate.hpp"
#include "axelram/key_store.hpp"

namespace axelram::sim {

/// Elements of a key or a query: raw floats in the element format.
using Vector = std::vector<std::uint16_t>;

/// One struct for each kind of command.
namespace command {

/// Writes a key.
struct Key {
  Vector vector;
};
/// Stores a record from outside.
struct Record {
  std::vector<std::uint8_t> bytes;  ///< record_bytes
};
/// Writes a key and raises a clear after its first beat. The key is stored, then cleared.
struct KeyThenClear {
  Vector vector;
};
/// Scores a query.
struct Query {
  Vector vector;
};
/// Removes all keys.
struct Clear {};
/// Removes all keys while the next vector is already valid. The clear comes first.
struct ClearBeforeNext {};
/// Waits until all keys are stored and all scores are accepted.
struct Drain {};
/// Clears error flags and counters.
struct ClearErrors {};
/// Clears error flags and counters in the cycle in which the preceding rejected key is counted.
struct ClearErrorsAtRejection {};
/// Lets `after` cycles pass while `vector` (if any) is sent, then resets. Abandons all work.
struct Reset {
  int after = 0;
  Vector vector = {};
};
/// Loads the injection register.
struct Inject {
  Injection mode;
  std::vector<std::uint8_t> mask;  ///< bytes of a stored key
};
/// Loads the registers for erasures and write-back. It must follow a Drain.
struct Protect {
  ErasurePolicy erasure;
  bool write_back;
};
/// Lets cycles pass.
struct Wait {
  int cycles;
};
/// Waits until a scrub has read the memory and is not decoded yet, at most `cycles` cycles.
struct AwaitScrub {
  int cycles;
};

}  // namespace command

/// One step of a stimulus. Steps are carried out in order.
using Command = std::variant<command::Key, command::Record, command::KeyThenClear, command::Query,
                             command::Clear, command::ClearBeforeNext, command::Drain,
                             command::ClearErrors, command::ClearErrorsAtRejection, command::Reset,
                             command::Inject, command::Protect, command::Wait, command::AwaitScrub>;

}  // namespace axelram::sim
