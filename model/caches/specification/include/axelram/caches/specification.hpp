#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "axelram/caches/tier_settings.hpp"
#include "axelram/int4.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/memory_parameters.hpp"
#include "axelram/turboquant/settings.hpp"

namespace axelram::caches {

/// Parameters, help and functions of one kind of cache (specification/kind.hpp). Each struct of
/// RowSpecification declares `kind()`, which the source file of that cache defines.
template <class Row>
struct Kind;

/// Bit errors: every stored bit flips with probability `ber` (0..1), once, as it is written.
struct Faults {
  double ber = 0;
  std::uint64_t seed = 0;
  bool operator==(const Faults&) const = default;
};

/// Where a cache is used, to see what a part of the model or of its keys costs. All else is FP16.
struct Part {
  std::optional<int> layer, head;  ///< only this layer; only this KV head
  int exact_tokens = 0;            ///< FP16 rows for the first tokens of a sequence
  int exact_newest = 0;            ///< and for the newest tokens that a query sees
  /// FP16 for this many channels of the keys of each head: those of the largest mean square over
  /// the sequence. No cache could know them before; they show what large channels cost.
  int exact_channels = 0;
  bool operator==(const Part&) const = default;
};

/// FP32 rows, stored unchanged.
struct Float32 {
  static constexpr std::string_view kName = "f32";
  static constexpr bool kOnGpu = false;
  static const Kind<Float32>& kind();
  bool operator==(const Float32&) const = default;
};

/// FP32 rows rounded to FP16 (RNE).
struct Float16 {
  static constexpr std::string_view kName = "fp16";
  static constexpr bool kOnGpu = true;
  static const Kind<Float16>& kind();
  bool operator==(const Float16&) const = default;
};

/// Records of the macro that a configuration file describes (references.md#axelram).
struct Axelram {
  static constexpr std::string_view kName = "axelram";
  static constexpr bool kOnGpu = true;
  static const Kind<Axelram>& kind();

  std::string config;                 ///< file, or name of a shipped one; no ',' or ';'
  std::optional<std::uint64_t> seed;  ///< of the signs, in place of the configuration's
  Faults faults;
  Part part = {};
  /// Second moments of queries, a file: keys are encoded with feedback. "": as the macro encodes.
  std::string feedback = {};
  std::string centers = {};  ///< of blocks of positions, a file: subtracted from keys. "": none
  std::string balance = {};  ///< exponents, a file, where the configuration has none. "": none
  bool operator==(const Axelram&) const = default;
};

/// INT4 rows with one scale per `group` neighbouring values of a token (bit-contract.md#int4).
struct Int4 {
  static constexpr std::string_view kName = "int4";
  static constexpr bool kOnGpu = false;
  static const Kind<Int4>& kind();

  Int4Mode mode = Int4Mode::symmetric;
  int group = 0;              ///< values that share a scale; 0: all of the row
  std::string code = "none";  ///< or a name that make_code knows
  ErasurePolicy erasure = ErasurePolicy::keep;
  Faults faults;
  Part part = {};
  bool operator==(const Int4&) const = default;
};

/// TurboQuant as its paper states it, in double precision: for comparison only. No macro computes
/// it (references.md#turboquant).
struct TurboQuant {
  static constexpr std::string_view kName = "turboquant";
  static constexpr bool kOnGpu = false;
  static const Kind<TurboQuant>& kind();

  turboquant::Settings settings;
  std::string split = {};    ///< channels of sub-vector 0, a file; with bits 2.5 and 3.5 only
  std::string centers = {};  ///< of blocks of positions, a file: subtracted from keys. "": none
  std::optional<std::uint64_t> seed = {};
  Part part = {};
  bool operator==(const TurboQuant&) const = default;
};

/// FP16 for the newest tokens, KIVI for all others (bit-contract.md#tiered-cache).
struct Kivi {
  static constexpr std::string_view kName = "kivi";
  static constexpr bool kOnGpu = false;
  static const Kind<Kivi>& kind();

  int bits = 4;           ///< 2, 3, 4
  TierSettings settings;  ///< sizes without a warm tier, groups, rotation of keys

  /// The same as tiers: an archive of that many bits behind the FP16 tokens.
  TierSettings tiers() const;
  bool operator==(const Kivi&) const = default;
};

/// FP16 for the newest tokens, a warm tier and an archive (bit-contract.md#tiered-cache).
struct Tiered {
  static constexpr std::string_view kName = "tiered";
  static constexpr bool kOnGpu = false;
  static const Kind<Tiered>& kind();

  TierSettings settings;

  const TierSettings& tiers() const { return settings; }
  bool operator==(const Tiered&) const = default;
};

/// A memory of constant size for keys and values together (bit-contract.md#memory). What is not set
/// is as the checkpoint asks, or the default of MemoryOptions.
struct Memory {
  static constexpr std::string_view kName = "memory";
  static constexpr bool kOnGpu = false;
  static const Kind<Memory>& kind();

  std::optional<int> window, exact, summary, sinks;
  std::optional<double> novel, match, gate_exact, gate_summary, blend;
  std::optional<EvictKind> evict;
  std::optional<SummaryKey> summary_key;
  std::optional<MemoryStore> store;
  std::string config;  ///< of the records; "": 3 bits, all else by default
  std::optional<std::uint64_t> seed;
  Faults faults;
  std::string balance = {};  ///< as Axelram::balance
  bool operator==(const Memory&) const = default;
};

/// Format in which the key rows, or the value rows, are stored: the table of caches. Parsing,
/// printing, help and `axelram list caches` visit it. kOnGpu: gpu::make_paged_rows has an overload.
using RowSpecification =
    std::variant<Float32, Float16, Axelram, Int4, TurboQuant, Kivi, Tiered, Memory>;

/// What a folder of `axelram tune` was made for (axelram/caches/tuned.hpp).
struct TunedFor {
  std::string folder;  ///< as the user names it
  std::string model;   ///< its name
  std::string digest;  ///< of checkpoints::identity_of()
  bool operator==(const TunedFor&) const = default;
};

struct Specification {
  RowSpecification keys, values;
  std::optional<TunedFor> tuned = {};  ///< of `tuned:DIR`, which stands for keys and values
  bool operator==(const Specification&) const = default;
};

/// `name[:key=value,...]` of cache_kinds(), or `keys=SPEC;values=SPEC` if they differ, or
/// `tuned:DIR`. Throws files::InputError.
Specification parse_specification(const std::string& text, NamedFiles files = NamedFiles::required);

/// The shortest text of the same specification: keys in the order of the table, defaults left out;
/// `tuned:DIR` of a tuned one.
std::string to_string(const Specification& specification);

/// Gives everything random in the caches the seed: sign vectors that have no seed in the
/// specification, and bit errors. False if nothing is random. Throws files::InputError for a
/// configuration that cannot be read.
bool reseed(Specification* specification, std::uint64_t seed);

/// Complains of a cache that is used in a part of the model, which `engine` cannot do.
void check_whole(const Specification& specification, const std::string& engine);

/// Complains of keys with centers of positions (bit-contract.md#position-centers), which `engine`
/// has not.
void check_uncentered(const Specification& specification, const std::string& engine);

/// The memory of a specification, if it is one.
const Memory* memory_of(const Specification& specification);

/// The tiers of a row specification, if it has tiers.
std::optional<TierSettings> tiers_of(const RowSpecification& specification);

/// Complains of keys that are written otherwise if not all rows are given at once, which `option`
/// does not do.
void check_steps(const Specification& specification, const std::string& option);

/// Configurations that the caches name, files or names of shipped ones.
std::vector<std::string> configurations(const Specification& specification);

/// Files that the caches name beside their configurations: of encoders, of centers.
std::vector<std::string> other_files(const Specification& specification);

/// Error message for a specification that reseed() rejects.
std::string nothing_random(const Specification& specification);

}  // namespace axelram::caches
