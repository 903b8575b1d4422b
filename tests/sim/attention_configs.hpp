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
/// Rotations that are loaded, with centers, in rows of fewer lanes.
files::Config attends_loaded();
/// Rotations that are loaded, with exponents, in rows of fewer lanes; unbiased norms.
files::Config attends_balanced();
/// Copies of first and newest tokens, which rings and evictions leave behind.
files::Config attends_exact();
/// The same behind a code, one segment, one query a group.
files::Config attends_exact_coded();
/// Codewords, behind registers, and a scrubber.
files::Config attends_coded();

}  // namespace axelram::sim
