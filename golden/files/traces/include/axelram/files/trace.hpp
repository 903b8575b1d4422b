#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/files/segment_commands.hpp"
#include "axelram/parameters.hpp"

namespace axelram::files {

/// Rotation of positions that keys of a trace lack (bit-contract.md#trace).
struct TraceRotation {
  std::vector<float> cosines, sines;  ///< [tokens, d / 2] of the tokens
  bool interleaved = false;           ///< pair i: channels 2i and 2i + 1, else i and i + d / 2
  std::vector<float> key_offset;      ///< d, added behind the rotation; or none
};

/// Keys, values and queries of one layer and KV head, raw floats in `element_format`, row-major.
/// Files have no records.
struct Trace {
  ElementFormat element_format = ElementFormat::fp16;
  int head_dim = 128;
  std::vector<std::uint16_t> keys;                        ///< [tokens, d]
  std::vector<std::uint16_t> queries;                     ///< [queries, d]
  Metadata metadata;                                      ///< may name model, text, layer, head
  std::optional<std::vector<std::uint16_t>> values = {};  ///< [tokens, d]
  /// Commands to the segments of a macro with attention, in order; nothing: default_commands.
  std::optional<std::vector<SegmentCommand>> commands = {};
  /// Records from outside (bit-contract.md#records-from-outside), whole ones: the macro takes them
  /// in place of as many keys, the last ones.
  std::vector<std::uint8_t> records = {};
  /// Of each key, logits of the write gate; written, not read.
  std::optional<std::vector<float>> gates = {};
  /// Of each query; written, not read.
  std::optional<std::vector<std::int32_t>> query_tokens = {};
  /// Of keys before rotation; written, not read.
  std::optional<TraceRotation> rotation = {};

  std::size_t key_count() const { return keys.size() / static_cast<std::size_t>(head_dim); }
  std::size_t record_count(const Parameters& p) const {
    return records.size() / static_cast<std::size_t>(p.record_bytes());
  }
  std::size_t query_count() const { return queries.size() / static_cast<std::size_t>(head_dim); }
};

/// Reads `keys` and `queries`, and for a macro with attention `values` and, if the trace has it,
/// `commands` (bit-contract.md#trace). Other tensors are ignored, but
/// not keys before rotary embedding (check_turned_keys); a trace without keys or without
/// queries is valid. Throws InputError for a NaN or infinity (with tensor, row and column), more
/// than max_keys keys without commands, a wrong d, rank or type, a missing tensor, and as
/// read_commands does.
Trace read_trace(const std::string& path, const Config& config);
Trace trace_from(const Safetensors& file, const Config& config);

/// The same for a macro that ends at the scores.
Trace read_trace(const std::string& path, const Parameters& parameters, int max_keys);
Trace trace_from(const Safetensors& file, const Parameters& parameters, int max_keys);

/// Writes keys, queries and, if they are given, values, commands, tokens of queries and rotation.
/// Throws like write_safetensors.
void write_trace(const std::string& path, const Trace& trace, bool force);

}  // namespace axelram::files
