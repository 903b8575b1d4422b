#pragma once

#include "axelram/files/config.hpp"

/// Small macros with attention.
namespace axelram::sim {

/// One segment, one query a group.
files::Config attends_parallel();
/// Segments of several rotations; rows of fewer lanes, and fewer outputs a cycle than keys.
files::Config attends_folded();
/// A trellis and the largest sums; more outputs a cycle than keys.
files::Config attends_largest();
/// Two centers, for keys alone, with largest exponents far apart; heads of 128 elements.
files::Config attends_centered();
/// Codewords, behind registers, and a scrubber.
files::Config attends_coded();

}  // namespace axelram::sim
