#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/parameters.hpp"
#include "axelram/transformer/transformer.hpp"

namespace axelram::calibration {

/// Called from time to time with the share of the work that is done.
using Progress = std::function<void(std::size_t done, std::size_t all)>;

/// Throws files::InputError if the macro does not support the model's head dimension.
void check_head_dim(const checkpoints::Architecture& architecture);

/// A model and the windows of a text to run it on. Keys, values and captured queries that do not
/// fit the element format raise files::InputError, which names layer, head, token and channel.
struct Source {
  const checkpoints::Checkpoint& checkpoint;
  const transformer::KvCache& cache;
  transformer::Workers& workers;
  std::span<const transformer::Sequence> windows;
  ElementFormat element_format = ElementFormat::fp16;
  Progress progress;
};

/// The keys of all windows after rotary embedding, window by window.
struct Keys {
  std::size_t layers = 0, heads = 0, rows = 0, head_dim = 0;
  std::vector<float> values;                 ///< [layers, heads, rows, head_dim]
  std::vector<std::size_t> first_rows = {};  ///< of the windows, ascending; empty: not known

  const float* of(std::size_t layer, std::size_t head) const {
    return values.data() + (layer * heads + head) * rows * head_dim;
  }
};
struct Queries;   // axelram/calibration/queries.hpp
struct TierRows;  // axelram/calibration/tier_rows.hpp
/// queries: where the queries of every eighth token and the second moment of all go, or null.
/// tiers: where rows of tiers go, for the keys that its `rope` states, or null.
Keys collect_keys(const Source& source, Queries* queries = nullptr, TierRows* tiers = nullptr);

/// What capture() takes.
struct CaptureRequest {
  std::size_t layer = 0, head = 0;          ///< KV head
  std::optional<std::size_t> queries = {};  ///< of each query head, those of the last tokens
  /// Keys before rotary embedding and key offset, with both.
  bool before_rotary = false;
  /// Queries token after token, those of one token in the order of the query heads; otherwise the
  /// first query head's of all windows, then the next head's.
  bool by_token = false;
  /// Logits of the write gate too.
  bool gates = false;
};

/// Keys and values of one KV head, window by window, and the queries of its group with their
/// tokens, which are rows of the keys. Layers beyond `layer` are not computed. The metadata stays
/// empty. Throws files::InputError: layer or head that the model lacks, more queries than tokens.
files::Trace capture(const Source& source, const CaptureRequest& request);

}  // namespace axelram::calibration
