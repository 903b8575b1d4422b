#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/key_store.hpp"
#include "axelram/parameters.hpp"

namespace axelram::files {

struct Rotation {
  enum class Source { seed, signs_file, identity };
  Source source = Source::seed;
  std::uint64_t seed = 42;
  int layer = 0;
  int head = 0;
  std::string signs_file;   ///< as written; relative to the configuration's folder
  std::string center_file;  ///< empty: no center
};

struct Microarchitecture {
  int key_lanes = 128;   ///< elements per beat and cycle of the vector stream, power of two <= d
  int read_lanes = 128;  ///< table lookups per cycle, power of two <= d
  int table_multipliers = 8;  ///< divides d * 2^b
};

struct Ecc {
  std::string code = "none";          ///< none, or a name that make_code knows
  std::string erasure = "keep";       ///< keep, zero, interpolate
  std::string decoder = "algebraic";  ///< algebraic, rom (golay24)
  int stages = 0;
  int scrub_interval = 0;
};

/// A macro as one YAML (or JSON) file describes it, with the data its files named.
struct Config {
  std::string name;       ///< file name without folder and extension, odd characters as '_'
  Parameters parameters;  ///< sections macro and numerics; centered iff a center is given
  int max_keys = 4096;    ///< 1 .. 2^24
  Rotation rotation;
  Microarchitecture microarchitecture;
  Ecc ecc;
  std::vector<std::int8_t> signs;     ///< d values, -1 or +1, from seed, file or identity
  std::vector<std::uint16_t> center;  ///< d raw floats in element_format, or empty
};

/// What a configuration may look like:
/// - UTF-8, at most 64 KiB, one document of sections of single values; nothing at all is `{}`.
///   Anchors, aliases, merge keys and tags are errors. JSON is YAML, except that a character beyond
///   U+FFFF is written itself, not as two \u escapes.
/// - Whole numbers are plain decimal digits: no quotation marks, leading zeros, plus signs,
///   fractions, exponents or hexadecimal digits.
/// - layer and head lie in 0..2^20 - 1, seed in 0..2^64 - 1, stages in 0..16, scrub_interval in
///   0..2^30.
///
/// Reads a file (and the signs and center files it names). Throws InputError.
Config read_config(const std::string& path);

/// Parses text; `origin` stands for the file name in messages, `folder` resolves relative paths.
Config parse_config(const std::string& text, const std::string& origin, const std::string& folder);

/// The protection of the golden macro: reads write back what they correct.
Protection protection(const Ecc& ecc);

/// The whole configuration in canonical YAML: parsing it again gives the same Config.
std::string canonical_yaml(const Config& config);

}  // namespace axelram::files
