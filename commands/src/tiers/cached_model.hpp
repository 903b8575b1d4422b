#pragma once

#include <cstdint>
#include <string>

#include "axelram/report/token.hpp"

namespace axelram::commands::tiers {

/// A model and the sequences whose keys and values it keeps.
struct CachedModel {
  report::ModelShape shape;    ///< context: tokens of each sequence
  std::uint64_t head_dim = 0;  ///< 32, 64, 128, 256
  std::uint64_t batch = 0;     ///< sequences, 1 .. 65536

  /// Streams of keys, and of values, of one sequence: one for each layer and KV head.
  std::uint64_t streams() const { return shape.layers * shape.kv_heads; }
  /// FP16 bytes of keys and values with a stream for each query head: the formula of ADR-004
  /// (references.md#adr-004). At most kMostBytes.
  std::uint64_t formula_bytes() const;
};

/// No count of a model exceeds 64 bits if this many bytes hold its formula_bytes().
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

/// Reads YAML or JSON: a map with layers, query_heads, kv_heads, head_dim, batch and context.
/// Throws files::InputError ("origin:line: ...") for any other name, a missing one, a number out of
/// range, query_heads that are no multiple of kv_heads, and more than kMostBytes.
CachedModel parse_cached_model(const std::string& text, const std::string& origin);

/// The same of a file.
CachedModel read_cached_model(const std::string& path);

}  // namespace axelram::commands::tiers
