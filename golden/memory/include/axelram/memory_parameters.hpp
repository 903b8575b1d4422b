#pragma once

#include <cstdint>
#include <optional>

#include "axelram/interpolate.hpp"
#include "axelram/names.hpp"
#include "axelram/parameters.hpp"

namespace axelram {

// Parameters of a memory of constant size (bit-contract.md#memory-parameters;
// references.md#coda-gqa-l).

enum class EvictKind : std::uint8_t { lru, gate };
enum class SummaryKey : std::uint8_t { newest, band };
enum class MemoryStore : std::uint8_t { records, fp16, f32 };

template <>
struct EnumNames<EvictKind> {
  static constexpr EnumRow<EvictKind> rows[] = {
      {EvictKind::lru, "lru", "the exact slot that was not hit for the longest time"},
      {EvictKind::gate, "gate", "the exact slot of least gate, if the newcomer's is not less"}};
};
template <>
struct EnumNames<SummaryKey> {
  static constexpr EnumRow<SummaryKey> rows[] = {
      {SummaryKey::newest, "newest", "the key of its newest token"},
      {SummaryKey::band, "band", "blended keys of the slower half of the rotary pairs; FP16 only"}};
};
template <>
struct EnumNames<MemoryStore> {
  static constexpr EnumRow<MemoryStore> rows[] = {
      {MemoryStore::records, "records", "quantized records, and FP16 masters of summaries"},
      {MemoryStore::fp16, "fp16", "FP16 rows, and value records that decide"},
      {MemoryStore::f32, "f32", "FP32 rows, and value records that decide; for tests"}};
};

/// As a user states them; real numbers.
struct MemoryOptions {
  int window = 256;             ///< W: 1..2^16
  int exact = 64;               ///< M_e: 0..2^16
  int summary = 64;             ///< M_s: 0..2^16
  int sinks = 0;                ///< 0..M_e; first tokens that are never displaced
  double novel = 0.70;          ///< tau_n: 0..2; 2: every token is novel
  std::optional<double> match;  ///< tau_m: tau_n..2; by default the larger of 0.90 and tau_n
  double gate_exact = 0.10;     ///< 0..1
  double gate_summary = 0.05;   ///< 0..1
  double blend = 0.047;         ///< 0..1
  EvictKind evict = EvictKind::gate;
  SummaryKey summary_key = SummaryKey::newest;
  MemoryStore store = MemoryStore::records;
};

/// tau_m, given or not.
double match_of(const MemoryOptions& options);

/// The integers that decide, made by memory_parameters().
struct MemoryParameters {
  int window, exact, summary, sinks;
  std::uint32_t novel, match;    ///< T_n, T_m (bit-contract.md#similarity)
  int gate_exact, gate_summary;  ///< codes g_e, g_s
  int blend;                     ///< H: a code; of a checkpoint that decides its own
  EvictKind evict;
  SummaryKey summary_key;
  MemoryStore store;

  /// S, at most 2^16.
  int slots() const { return window + exact + summary; }
  /// Tokens that the exact bank holds beside the sinks.
  int bank() const { return exact - sinks; }
};

/// Bytes of a memory by its formula (bit-contract.md#memory-bytes); of `f32` with rows of FP32 in
/// place of FP16. stored_bytes: of a record.
std::uint64_t memory_bytes(const MemoryParameters& memory, int head_dim, int stored_bytes);

/// Throws std::invalid_argument, in one line that states the parameter, its value and what is
/// valid, for options out of range, and for parameters or an erasure policy of the macro that a
/// memory excludes (bit-contract.md#memory-parameters).
void check_memory(const MemoryOptions& options, const Parameters& parameters,
                  ErasurePolicy erasure = ErasurePolicy::keep);

/// Throws as check_memory.
MemoryParameters memory_parameters(const MemoryOptions& options, const Parameters& parameters,
                                   ErasurePolicy erasure = ErasurePolicy::keep);

}  // namespace axelram
