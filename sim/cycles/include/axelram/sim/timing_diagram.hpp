#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"

namespace axelram::sim {

/// A value of a signal in the cycles first .. last.
struct Span {
  std::uint64_t first, last;
  std::string value;
};

/// A port of the observed top. Outside its spans a bit is 0, and a bus has no value.
struct Signal {
  std::string name;
  bool bit;
  std::vector<Span> spans;  ///< ascending
};

/// The cycles from the beginning of cycle `from` to the beginning of cycle `to`.
struct Period {
  std::uint64_t from, to;
  std::string text;
};

/// Signals of a macro in the cycles 0 .. cycles - 1.
struct TimingDiagram {
  std::uint64_t cycles;
  std::vector<Signal> signals;
  std::vector<Period> periods;
};

/// Two keys into an empty store, or one if it has no room for two, without a pause between them.
TimingDiagram write_timing(const files::Config& config);

/// A query, with the first beat of a key behind it, in a macro that holds timing_keys() keys and is
/// idle. The consumer accepts each score at once.
TimingDiagram query_timing(const files::Config& config);
std::uint64_t timing_keys(const files::Config& config);

}  // namespace axelram::sim
