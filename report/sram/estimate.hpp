#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "axelram/files/config.hpp"
#include "axelram/files/sram.hpp"

namespace axelram::report {

/// The SRAM of a key store: `words` records of `bits` stored bits, one read port and one write
/// port.
struct SramShape {
  std::uint64_t words = 1;
  int bits = 1;
};

/// Figures of such an SRAM, made of equal arrays. A figure without a value says in its note why.
struct SramEstimate {
  std::optional<std::uint64_t> tiles;
  std::string tiles_note;
  files::SourceFigure area;     ///< mm^2
  files::SourceFigure read;     ///< pJ of a record
  files::SourceFigure write;    ///< pJ of a record
  files::SourceFigure access;   ///< ns
  files::SourceFigure leakage;  ///< uW
};

/// ceil(bits / width of the macro) tiles beside each other, ceil(words / its words) of these rows.
/// Area and leakage are those of all tiles, the energy of an access that of one row, the time that
/// of a tile. `node`: nm, or 0 if it is not given.
SramEstimate estimate_of_macro(const files::SramMacro& macro, const SramShape& shape, int node);

/// ceil(bits / width of the points) arrays beside each other, each with all words. A figure of an
/// array is a power of its number of words between two points that give it: a line in the
/// logarithms. Beyond the points the line of the nearest two goes on, which the note states. A
/// single point gives its figures for its own number of words alone.
SramEstimate estimate_of_table(const files::PublishedTable& table, const SramShape& shape);

/// What the source that a configuration names says of such an SRAM, and of its key store. Without a
/// source every figure is missing.
SramEstimate estimate_of_source(const files::Config& config, const SramShape& shape);
SramEstimate sram_of(const files::Config& config);

/// "1rw macro, ..." if an SRAM with such ports cannot read and write in one cycle; or "".
std::string port_remark(const std::string& ports);

}  // namespace axelram::report
