#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/calibration/channels.hpp"
#include "axelram/calibration/choose_signs.hpp"
#include "axelram/calibration/exponents.hpp"
#include "axelram/calibration/feedback.hpp"
#include "axelram/calibration/score_figures.hpp"
#include "axelram/calibration/tiers.hpp"
#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"
#include "axelram/files/config.hpp"

namespace axelram::commands {

struct CalibrateOptions {
  ModelOptions model;
  std::string output;  ///< signs; "": none, and nothing else but `tiers`
  std::string center, centers, feedback, balance, channels, tiers, json, config;
  calibration::Rank rank = calibration::Rank::one;  ///< of the feedback
  std::uint64_t context = 0;  ///< tokens that feedback is made for; 0: a window
  /// Of the balance.
  calibration::BalanceQueries balance_queries = calibration::BalanceQueries::deflated;
  double balance_gain = calibration::kMostBalancedGain;  ///< most of a balanced head, 0..1
  calibration::ChannelRule rule = calibration::ChannelRule::scores;  ///< of the channels
  calibration::SplitBits split;                                      ///< of the channels
  int bits = 3;                                                      ///< without a configuration
  CodebookKind codebook = CodebookKind::gaussian;                    ///< without a configuration
  std::uint64_t candidates = 200, samples = 8;
  std::uint64_t window = 0;  ///< 0: not given
  int block = 32;            ///< positions that share a center, of `centers`
  std::uint64_t seed = 1;
  bool per_head = false, force = false;
  // Constants of tiers:
  files::Rope rope = files::Rope::post;
  double outliers = 0.01;
  std::uint64_t squat_channels = 0;  ///< 0: 64, or the head's channels if it has fewer
  std::uint64_t squat_rank = 60;
  double squat_strength = 0.5;
  std::string fisher;  ///< weights of the codebooks' elements
};

/// A KV head, seen from its queries. Keys and queries are balanced, if they are.
struct CalibratedHead {
  double mean_energy = 0;  ///< share of the mean key in the mean square of the keys, 0..1
  double balance_won = 1;  ///< predicted mean square of score errors with folded factors over that
                           ///< without any balance
  double noise = 0;        ///< of scores in nats, predicted by energies
  double plain_noise = 0;  ///< the same without exponents
  double alpha = 0;        ///< of rank 1
  double concentration = 0;  ///< of the keys' energy over pairs of channels
  double split_factor = 1;   ///< predicted mean square of score errors with the split over without
  calibration::ScoreFigures scores;  ///< of the macro with all that was chosen
};

struct CalibrateResult {
  CalibrateOptions options;
  files::Config config;  ///< the given one, or one of `bits` and `codebook`
  std::size_t window = 0;
  std::vector<std::uint16_t> center;                ///< empty: none
  calibration::Calibration calibration;             ///< empty without signs
  std::optional<calibration::Exponents> exponents;  ///< with a balance to write
  calibration::ExactRange exact;                    ///< tokens whose attention is summed
  std::vector<CalibratedHead> heads;  ///< [layers, heads]; only with feedback, balance or channels
  std::size_t kv_heads = 0;           ///< of a layer, if there are `heads`
  std::string default_signs;          ///< "seed 42", "all +1" or a file
  double codebook_mse = 0;            ///< of the codebook on its own density, norm 1, times d
  std::optional<calibration::CalibratedTiers> tiers;
};

/// Chooses the signs of the rotation, and key centers, for a model (references.md#axelram,
/// Algorithm 1 and section V), and constants of the tiers of a cache
/// (bit-contract.md#tier-constants), and writes them. With exponents, of `balance` or of the
/// configuration, signs, center and feedback are those of balanced keys and queries
/// (bit-contract.md#exponents).
CalibrateResult calibrate(const CalibrateOptions& options, const Progress& progress = {},
                          const Show<CalibrateResult>& show = {});

std::string to_json(const CalibrateResult& result);

}  // namespace axelram::commands
