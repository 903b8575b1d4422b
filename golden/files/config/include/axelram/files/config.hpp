#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/attention.hpp"
#include "axelram/files/document_tree.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/sram.hpp"
#include "axelram/head_rotation.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/key_store.hpp"
#include "axelram/memory_parameters.hpp"
#include "axelram/names.hpp"
#include "axelram/parameters.hpp"

namespace axelram::files {

/// Source of the signs and, optionally, of the center and the exponents of one attention head.
struct Rotation {
  enum class Source { seed, signs_file, identity };
  Source source = Source::seed;
  std::uint64_t seed = kDefaultSeed;
  int layer = 0;
  int head = 0;
  std::string signs_file;      ///< as written; relative to the directory of the configuration
  std::string center_file;     ///< the same; empty: no center
  std::string balance_file{};  ///< the same; empty: not balanced
};

/// Softmax and values behind the scores.
struct AttentionSection {
  bool given = false;  ///< without it the macro ends at the scores, and the members have no effect
  AttentionParameters parameters;
  int output_lanes = 16;  ///< outputs per cycle, a power of two <= d
};

/// Memory of the rows of signs and centers.
enum class RotationMemory : std::uint8_t { rom, ram };

/// The store of a macro with attention.
struct StoreSection {
  int segments = 1;   ///< 1 .. 256
  int rotations = 1;  ///< rows of signs and centers, 1 .. 256
  RotationMemory rotation_memory = RotationMemory::rom;
};

/// Source of the products of a read (bit-contract.md#read-3).
enum class ScoreLane : std::uint8_t { table, half_table, multiplier };

/// Storage of the entries of a score table.
enum class TableStorage : std::uint8_t { flip_flops, latches };

/// Part of the macro whose clock stands while it is empty.
enum class ClockGating : std::uint8_t { none, write_path };

/// A bounded memory that the macro serves (bit-contract.md#memory), by keys of section `memory`.
struct BoundedMemorySection {
  bool given = false;  ///< one of its keys is; without it the members have no effect
  MemoryOptions options;
  MemoryParameters parameters{};  ///< made of the options
};

struct Microarchitecture {
  int key_lanes = 128;   ///< vector elements per beat, a power of two <= d
  int read_lanes = 128;  ///< table lookups per cycle, a power of two <= d
  ScoreLane score_lane = ScoreLane::table;
  int table_multipliers = 8;  ///< divides the entries of a table; unused without one
  TableStorage table_storage = TableStorage::flip_flops;  ///< unused without a table
  ClockGating clock_gating = ClockGating::none;
};

/// Hardware that decodes golay24.
enum class GolayDecoder : std::uint8_t { algebraic, rom };

struct Ecc {
  std::string code = "none";  ///< none, or a name that make_code accepts
  ErasurePolicy erasure = ErasurePolicy::keep;
  GolayDecoder decoder = GolayDecoder::algebraic;
  int stages = 0;          ///< pipeline registers in the encoder, and in the decoder
  int scrub_interval = 0;  ///< cycles between background scrubs; 0: no scrubber
};

/// A macro, and the data of the files that its configuration names.
struct Config {
  std::string name;        ///< macro.name, or the file's name without directory and extension, with
                           ///< unsafe characters as '_'
  bool named = false;      ///< macro.name is given
  std::string name_place;  ///< FILE:LINE of macro.name, or FILE, for messages
  Parameters parameters;   ///< sections macro, numerics and quantizer; centered and balanced if
                           ///< such a file is given
  int max_keys = 4096;     ///< 1 .. 2^24; with a bounded memory its slots
  std::string channels_file;  ///< of a split; as written
  Rotation rotation;
  AttentionSection attention;
  StoreSection store;
  Microarchitecture microarchitecture;
  Ecc ecc;
  BoundedMemorySection bounded_memory;
  SramSettings sram;
  SramSource sram_source;             ///< what the files of `sram` say
  HeadRotation head_rotation;         ///< signs from seed, file or identity; channels of a split
  std::vector<std::uint16_t> center;  ///< d raw floats in element_format, or empty
  std::vector<RotationRow> further_rotations;  ///< rows 1 .. store.rotations - 1
};

/// Reads a configuration and the files that it names. Throws InputError
/// ("FILE:LINE: ...").
///
/// - A configuration is UTF-8, at most 64 KiB: one document of sections of single values;
/// `split.bits` is a
///   list. An empty file is `{}`. Anchors, aliases, merge keys and tags are errors. JSON is read as
///   YAML, except that a character beyond U+FFFF must be written itself, not as two \u escapes.
/// - Whole numbers are plain decimal digits: no quotation marks, leading zeros, plus signs,
///   fractions, exponents or hexadecimal digits.
/// - axelram/files/config_keys.hpp lists keys, ranges and defaults.
Config read_config(const std::string& path);

/// A value that takes the place of one in the text of a configuration, or is added to it.
struct ConfigOverride {
  std::string section, key;
  DocumentNode value;  ///< a value, or a list of values; its line is that of messages
};

/// Parses text. `origin` replaces the file name in messages; relative paths start at `folder`.
Config parse_config(const std::string& text, const std::string& origin, const std::string& folder,
                    const std::vector<ConfigOverride>& overrides = {});

/// Constants of the layer and KV head of `rotation`. signs: d values of a file, one for each
/// channel; if empty, those of the seed, or +1. channels: of sub-vector 0 of a split, or none.
/// balance: d exponents if balanced, or none.
HeadRotation head_rotation(const Parameters& parameters, const Rotation& rotation,
                           std::vector<std::int8_t> signs, std::vector<std::uint16_t> channels,
                           std::vector<std::int8_t> balance);

/// The same macro for another layer and KV head: with their signs, channels and center. Relative
/// paths start at `folder`. Throws InputError.
Config config_of_head(Config config, const std::string& folder, int layer, int head);

/// Path of a configuration that a user names: `text` itself if such a file exists, else `text`.yaml
/// among the shipped configurations. Throws InputError with the nearest names if neither exists.
std::string find_config_file(const std::string& text);

/// read_config of find_config_file.
Config find_config(const std::string& text);

/// Names of the shipped configurations, sorted: the .yaml files of shipped("configs") (places.hpp).
std::vector<std::string> shipped_configs();

/// Levels of part `part` of a key with entries in the score table: all, the upper half, or none.
int table_levels(const Config& config, const Parameters& part);

/// True if there is a score table that is made of latches.
bool latch_table(const Config& config);

/// All store.rotations rows: that of the configuration's layer and KV head, then the further ones.
std::vector<RotationRow> rotation_rows(const Config& config);

/// Throws InputError if the configuration has attention, which `what` ("the hardware") does not
/// compute.
void reject_attention(const Config& config, const std::string& what);

/// Throws InputError if the configuration has a bounded memory, which `what` does not serve.
void reject_bounded_memory(const Config& config, const std::string& what);

/// Protection of the golden macro, which writes corrected records back.
Protection protection(const Ecc& ecc);

/// The whole configuration in canonical YAML. Parsing it gives the same Config.
std::string canonical_yaml(const Config& config);

}  // namespace axelram::files

namespace axelram {

template <>
struct EnumNames<files::ScoreLane> {
  static constexpr EnumRow<files::ScoreLane> rows[] = {
      {files::ScoreLane::table, "table", "a table of the products of a query with every level"},
      {files::ScoreLane::half_table, "half_table",
       "a table of those with the upper half of the levels; the others are their negatives"},
      {files::ScoreLane::multiplier, "multiplier",
       "no table: a multiplier in each read lane, no exact tokens"}};
};
template <>
struct EnumNames<files::RotationMemory> {
  static constexpr EnumRow<files::RotationMemory> rows[] = {
      {files::RotationMemory::rom, "rom", "constants"},
      {files::RotationMemory::ram, "ram", "a memory, which software fills; these at reset"}};
};
template <>
struct EnumNames<files::TableStorage> {
  static constexpr EnumRow<files::TableStorage> rows[] = {
      {files::TableStorage::flip_flops, "flip_flops", "a register array"},
      {files::TableStorage::latches, "latches", "latches, behind clock gates that entries share"}};
};
template <>
struct EnumNames<files::ClockGating> {
  static constexpr EnumRow<files::ClockGating> rows[] = {
      {files::ClockGating::none, "none", "every register has a clock in every cycle"},
      {files::ClockGating::write_path, "write_path",
       "the write path has a clock while something moves in it"}};
};
template <>
struct EnumNames<files::GolayDecoder> {
  static constexpr EnumRow<files::GolayDecoder> rows[] = {
      {files::GolayDecoder::algebraic, "algebraic", "logic equations in GF(2)"},
      {files::GolayDecoder::rom, "rom", "a table of error patterns by syndrome"}};
};

}  // namespace axelram
