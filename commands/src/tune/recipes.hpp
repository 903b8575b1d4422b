#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axelram/checkpoints/architecture.hpp"
#include "axelram/commands/tune.hpp"
#include "ways.hpp"

namespace axelram::commands::tunes {

/// Keys, or values, stored in a way with a number of bits.
struct Half {
  bool values = false;
  const Way* way = nullptr;
  int bits = 3;

  std::string name() const;  ///< "keys-3-center"
  std::string configuration_name() const { return name() + ".yaml"; }
  bool plain() const;  ///< the paper's macro
};

/// A cache of one half, the other FP16, or of both.
struct Recipe {
  std::optional<Half> keys, values;

  std::string name() const;  ///< those of its halves
  std::string what() const;
  TuneWidths bits() const;
  bool plain() const;
  /// Names of its configurations and other files.
  std::vector<std::string> files() const;
  /// With its files in `folder`, which ends with '/' or is "".
  caches::Specification specification(const std::string& folder) const;
};

/// Bytes of a token, all layers and heads; exact copies of a sequence aside.
std::size_t token_bytes(const checkpoints::Architecture& architecture, const TuneWidths& bits);

/// The widths that options ask for: one, or, if only bytes are given, those of the caches that fit
/// of which no other that fits has as many bits in both halves. The fewest bits of keys first.
/// Throws files::InputError if none fits.
std::vector<TuneWidths> widths_of(const TuneOptions& options,
                                  const checkpoints::Architecture& architecture);

/// Names of all files that a folder of tune may hold.
std::vector<std::string> tuned_files();

}  // namespace axelram::commands::tunes
