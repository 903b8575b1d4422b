#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"
#include "axelram/engines/jobs.hpp"
#include "axelram/names.hpp"

namespace axelram {

/// Names the part of a KV cache that `axelram tune` stores in few bits. The rest stays FP16.
enum class TunePart { keys, values, both };

template <>
struct EnumNames<TunePart> {
  static constexpr EnumRow<TunePart> rows[] = {{TunePart::keys, "keys", "values are FP16"},
                                               {TunePart::values, "values", "keys are FP16"},
                                               {TunePart::both, "both", "keys and values"}};
};

namespace commands {

struct TuneOptions {
  ModelOptions model;
  std::string output;  ///< folder
  std::string json;    ///< the record a second time; "": not written
  TunePart part = TunePart::both;
  std::optional<int> bits;    ///< of an index: 2, 3, 4; none: 3, or what `bytes` allows
  std::uint64_t bytes = 0;    ///< of each token, the most, all layers and heads; 0: any
  std::uint64_t windows = 0;  ///< held-out windows; 0: 4, or as many as there are
  std::uint64_t samples = 0;  ///< calibration windows; 0: 16, or as many as there are
  std::uint64_t window = 0;   ///< tokens; 0: the default of the model
  std::uint64_t seed = 42;    ///< of the signs
  bool force = false;         ///< replaces a folder of tune, and what an ended run left
};

/// Figures of the predictions on held-out windows with one cache.
struct TuneScores {
  std::size_t predictions = 0;
  double kl = 0;        ///< mean divergence of the next-token distribution from FP16's, nats
  double kl_error = 0;  ///< standard error of that mean
  double nll = 0;       ///< mean, nats
  double top1 = 0;      ///< share of ids ranked first, 0..1
};

/// Bits of an index of the keys, and of the values; 0: FP16.
struct TuneWidths {
  int keys = 0, values = 0;
  bool operator==(const TuneWidths&) const = default;
};

/// A cache that was measured.
struct TuneCandidate {
  std::string name;  ///< "keys-3-center"; of two halves "keys-3-center values-3-plain"
  std::string what;  ///< in words
  TuneWidths bits;
  engines::CacheBytes bytes;
  TuneScores scores;
  double noise = 0;  ///< of scores in the head where it is largest, nats; 0 without keys
  bool chosen = false;
  std::string rejected = {};  ///< why; "" if chosen
};

/// A KV head, from the calibration windows. Noise: root mean square error of scores, nats, less its
/// mean over the keys of each query. Divergence: of the softmax from that of exact scores, nats.
struct TunedHead {
  double gain = 1;        ///< G: square of a score's error with balance over that without
  bool balanced = false;  ///< by the keys that were chosen
  double plain_noise = 0, plain_divergence = 0;    ///< of the paper's macro
  double chosen_noise = 0, chosen_divergence = 0;  ///< of the keys that were chosen
};

struct TuneResult {
  TuneOptions options;
  std::string model, text;  ///< names
  std::string digest;       ///< of the model, checkpoints::identity_of()
  std::string ids_digest;   ///< SHA-256 of the text's ids, I32, lowest byte first
  std::size_t layers = 0, kv_heads = 0, head_dim = 0, positions = 0;
  std::size_t tokens = 0, window = 0;
  /// Whole windows of the text. The first `calibration_part` of them are for calibration.
  std::size_t text_windows = 0, calibration_part = 0;
  std::vector<std::size_t> calibration, held_out;  ///< numbers of the windows that were used
  TuneScores baseline;                             ///< of FP16 keys and values
  engines::CacheBytes baseline_bytes;
  std::vector<TuneCandidate> candidates;  ///< halves, the keys first, then pairs of them
  std::vector<TunedHead> heads;           ///< [layers, heads]; none for values alone
  std::size_t chosen = 0, plain = 0;      ///< of candidates; plain: the paper's macro
  std::vector<std::string> files;         ///< that the cache names, in the folder
  std::string cache;                      ///< the line that was written
  bool resumed = false;                   ///< from what an ended run left; in no file

  /// The paper's macro changes so little that no recipe is needed.
  bool needs_nothing() const;
};

/// Divergence of the paper's macro below which a model needs no recipe, nats: a tenth of a percent
/// of perplexity.
constexpr double kTuneNothing = 0.001;
/// The first candidate is taken of those within this share of the least divergence.
constexpr double kTuneMargin = 0.03;

/// Finds the cache of records that changes a model least: calibrates constants on the first three
/// quarters of a text's windows, measures candidates on windows of the last quarter, chooses by the
/// divergence from FP16, and writes files, configurations, `cache`, `report.md` and `recipe.json`
/// to a folder, whole or not at all. What is done stays in DIR.unfinished until then: the same
/// call goes on from there, to the same bytes. Throws files::InputError.
TuneResult tune(const TuneOptions& options, const Progress& progress = {},
                const Show<TuneResult>& show = {});

/// `recipe.json`.
std::string to_json(const TuneResult& result);

}  // namespace commands
}  // namespace axelram
