#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rotated/exact_tokens.hpp"
#include "rotated/record_rows.hpp"

namespace axelram::caches {

/// The keys of one layer and KV head as the macro stores and scores them. A macro keeps S + R
/// copies; here queries of earlier tokens may follow, so that every key which was ever exact keeps
/// its copy.
class KeyRecords {
 public:
  KeyRecords(const CpuSetup& setup, const CacheSite& site)
      : parameters_(setup.setup.parameters(false)), rows_(setup, site) {}

  void begin(std::uint32_t sequence) {
    rows_.begin(sequence);
    copies_.clear();
  }

  void write(const float* rows, std::size_t count) {
    rows_.write(rows, count,
                [this](std::size_t token, const std::uint16_t*, const KeyResult& written) {
                  if (ever_exact(token, parameters_)) copies_.push_back(written.copy);
                });
  }

  /// S + R copies of d elements of X bits, each with an exponent in two bytes.
  double bytes_per_sequence() const {
    return parameters_.copies() * (parameters_.head_dim * parameters_.exact_bits / 8.0 + 2);
  }

  /// scores[t] for t in oldest .. token, as the macro outputs them (bit-contract.md#read-4), of the
  /// query of token `token`.
  void score(const float* query, std::size_t token, std::size_t oldest, float* scores) {
    Datapath& datapath = rows_.datapath();
    const RowMemory& memory = rows_.memory();
    datapath.round(rows_.elements(query, "query", token), &query_);
    const RecordRange records = record_range(oldest, token + 1, parameters_);
    if (records.begin < records.end)
      datapath.score(query_, memory.row(records.begin), records.end - records.begin,
                     scores + records.begin);
    if (const std::uint8_t* const last = memory.as_last(token))
      datapath.score(query_, last, 1, scores + token);
    for_each_exact(oldest, token + 1, parameters_, [&](std::size_t t) {
      std::int64_t acc = 0;
      bool saturated = false;
      scores[t] = datapath.score(query_, copies_[t], &acc, &saturated);
    });
  }

  const Parameters& parameters() const { return parameters_; }
  RecordRows& rows() { return rows_; }
  const RecordRows& rows() const { return rows_; }

 private:
  Parameters parameters_;  ///< exact tokens included
  RecordRows rows_;
  QueryResult query_;
  std::vector<KeyCopy> copies_;  ///< of tokens 0, 1, ...
};

}  // namespace axelram::caches
