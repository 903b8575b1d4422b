#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/faults/campaign.hpp"

namespace axelram::faults {

/// One trial with all its data: enough to replay it without the campaign.
struct Case {
  std::string kind;           ///< miscorrection or score
  std::string configuration;  ///< name of the configuration, for display
  std::string code;
  ErasurePolicy policy = ErasurePolicy::keep;
  FaultModel model;
  std::uint64_t seed = 0, trial = 0;
  std::uint32_t token = 0;             ///< the token to show
  std::vector<std::uint8_t> masks;     ///< [T, stored bytes]
  std::vector<std::uint8_t> statuses;  ///< [T, status bytes], empty without a code
  std::vector<std::uint8_t> decoded;   ///< [T, record bytes]
  std::vector<std::uint8_t> repaired;  ///< [T, record bytes]
  double score_rms = 0, score_max = 0;
};

/// Cases of a report for each code and rate: the first miscorrection and, for each policy, the
/// scored trial with the largest error. The trials run again on options.engine.
std::vector<Case> interesting_cases(const files::Config& config, const CampaignOptions& options,
                                    const CampaignReport& report);

/// CODE-RATE-KIND[-POLICY].safetensors
std::string file_name(const Case& c);
void write_case(const std::string& path, const Case& c, bool force);
/// Throws files::InputError for a file that is not a case.
Case read_case(const std::string& path);

/// A case run again on an engine.
struct Replay {
  Workload workload;
  std::vector<std::uint8_t> decoded, repaired, statuses;
  std::vector<float> scores;
  Workload::ScoreError error;
  bool same_masks = false;    ///< the generator draws the masks of the case
  bool same_outcome = false;  ///< statuses, decoded and repaired records, score error
};
/// Throws files::InputError if the case belongs to another macro or trace; `path` is used in the
/// message.
Replay replay(const files::Config& config, const EngineFactory& engine, const Case& c,
              const std::string& path);

}  // namespace axelram::faults
