#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "../datasheet/markdown_diagrams.hpp"
#include "axelram/calibration/exponents.hpp"
#include "axelram/calibration/predicted_noise.hpp"
#include "recipes.hpp"

namespace axelram::commands::tunes {
namespace {

using sheet::markdown_row;

std::string code(const std::string& text) { return "`" + text + "`"; }

std::string bytes(const engines::CacheBytes& of) {
  return std::to_string(std::llround(of.per_token));
}

std::string share(double of) { return short_number(100 * of) + " %"; }

/// Rise of perplexity over FP16's, "+1.2 %".
std::string rise(const TuneScores& scores, const TuneScores& baseline) {
  const double percent = 100 * std::expm1(scores.nll - baseline.nll);
  char text[32];
  std::snprintf(text, sizeof text, std::abs(percent) < 100 ? "%+.2f %%" : "%+.0f %%", percent);
  return text;
}

std::string numbers_text(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (const std::size_t one : numbers) text += (text.empty() ? "" : ", ") + std::to_string(one);
  return text;
}

/// What the paper's macro would do, in a sentence.
std::string plain_text(const TuneResult& r) {
  const TuneCandidate& plain = r.candidates[r.plain];
  const std::string figures =
      "KL " + short_number(plain.scores.kl) + " nats, perplexity " + rise(plain.scores, r.baseline);
  if (r.needs_nothing())
    return "**This model needs no recipe.** The paper's macro changes it by less than " +
           short_number(kTuneNothing) + " nats (" + figures + "), so that it was taken.";
  std::string text = "The paper's macro (" + code(plain.name) + ") would cost this model " +
                     short_number(plain.scores.kl / r.candidates[r.chosen].scores.kl) +
                     " times as much: " + figures + ".";
  if (plain.noise >= calibration::kFailingNoise)
    text += " **It would fail**: in one head its scores err by " + short_number(plain.noise) +
            " nats, and softmax follows the error.";
  return text;
}

std::string chosen_text(const TuneResult& r) {
  const TuneCandidate& chosen = r.candidates[r.chosen];
  return code(chosen.name) + ": " + chosen.what + ".\n\n" + markdown_row({"", "FP16", "chosen"}) +
         "|---|---:|---:|\n" +
         markdown_row(
             {"KL from FP16, nats", "0",
              short_number(chosen.scores.kl) + " ± " + short_number(chosen.scores.kl_error)}) +
         markdown_row({"perplexity", short_number(std::exp(r.baseline.nll)),
                       short_number(std::exp(chosen.scores.nll)) + " (" +
                           rise(chosen.scores, r.baseline) + ")"}) +
         markdown_row({"most likely token is the text's", share(r.baseline.top1),
                       share(chosen.scores.top1)}) +
         markdown_row({"bytes of a token, all layers and heads", bytes(r.baseline_bytes),
                       bytes(chosen.bytes)}) +
         markdown_row({"bytes of a sequence besides, of exact tokens", "0",
                       std::to_string(std::llround(chosen.bytes.per_sequence))});
}

std::string candidates_text(const TuneResult& r) {
  std::string text = markdown_row({"candidate", "KL, nats", "perplexity", "bytes a token",
                                   "noise, nats", "verdict"}) +
                     "|---|---:|---:|---:|---:|---|\n";
  for (const TuneCandidate& one : r.candidates)
    text += markdown_row({code(one.name),
                          short_number(one.scores.kl) + " ± " + short_number(one.scores.kl_error),
                          rise(one.scores, r.baseline), bytes(one.bytes),
                          one.bits.keys == 0 ? "-" : short_number(one.noise),
                          one.chosen             ? "**chosen**"
                          : one.rejected.empty() ? "the best of its half"
                                                 : one.rejected});
  return text;
}

/// What the names of candidates mean.
std::string names_text(const TuneResult& r) {
  std::string text;
  const auto add = [&](const char* half, std::span<const Way> ways) {
    for (const Way& way : ways) {
      const std::string name = "-" + std::string(way.name);
      if (std::any_of(r.candidates.begin(), r.candidates.end(), [&](const TuneCandidate& one) {
            return one.name.starts_with(half) && one.name.ends_with(name);
          }))
        text +=
            "- " + code(half + std::string("-BITS") + name) + ": " + std::string(way.what) + "\n";
    }
  };
  add("keys", key_ways());
  add("values", value_ways());
  return text;
}

/// Two ways that differ by a part of a recipe.
struct Difference {
  const char *what, *without, *with;
};
constexpr Difference kOfKeys[] = {
    {"trellis, unbiased norm, exact tokens", "plain", "records"},
    {"a center", "records", "center"},
    {"balance, as the hardware encodes", "center", "center-balance"},
    {"feedback of rank 1", "center", "center-feedback"},
    {"centers of positions instead of one", "center-feedback", "positions-feedback"},
    {"balance, with feedback", "positions-feedback", "positions-balance-feedback"},
    {"feedback of full rank instead of 1", "positions-feedback", "positions-full"},
    {"the same, with balance", "positions-balance-feedback", "positions-balance-full"},
};
constexpr Difference kOfValues[] = {
    {"unbiased norm, exact tokens", "plain", "unbiased"},
    {"a trellis", "unbiased", "records"},
    {"32 newest tokens exact instead of 16", "records", "newest"},
};

/// What each part of a recipe does to this model, in the bits that were chosen.
std::string differences_text(const TuneResult& r) {
  std::string rows;
  const auto add = [&](const std::string& half, int bits, std::span<const Difference> all) {
    const auto kl = [&](const char* way) -> std::optional<double> {
      const std::string name = half + "-" + std::to_string(bits) + "-" + way;
      for (const TuneCandidate& one : r.candidates)
        if (one.name == name) return one.scores.kl;
      return {};
    };
    for (const Difference& one : all)
      if (const auto without = kl(one.without), with = kl(one.with); without && with)
        rows += markdown_row({half + ": " + one.what, short_number(*without), short_number(*with),
                              "× " + short_number(*with / *without)});
  };
  const TuneWidths& bits = r.candidates[r.chosen].bits;
  add("keys", bits.keys, kOfKeys);
  add("values", bits.values, kOfValues);
  return "## What each part does to this model\n\n" +
         markdown_row({"part", "KL without", "KL with", ""}) + "|---|---:|---:|---:|\n" + rows;
}

struct Layer {
  double gain = 1, plain_noise = 0, plain_divergence = 0, noise = 0, divergence = 0;
  std::size_t balanced = 0;
};

Layer layer_of(const TuneResult& r, std::size_t layer) {
  Layer all;
  for (std::size_t h = 0; h < r.kv_heads; ++h) {
    const TunedHead& head = r.heads[layer * r.kv_heads + h];
    const auto heads = static_cast<double>(r.kv_heads);
    all.gain = std::min(all.gain, head.gain);
    all.balanced += head.balanced ? 1 : 0;
    all.plain_noise = std::max(all.plain_noise, head.plain_noise);
    all.noise = std::max(all.noise, head.chosen_noise);
    all.plain_divergence += head.plain_divergence / heads;
    all.divergence += head.chosen_divergence / heads;
  }
  return all;
}

std::string layers_text(const TuneResult& r) {
  std::string text =
      "## Cost by layer\n\nOf the keys, on the calibration windows. *Noise* is the error of scores "
      "in nats, root mean square, less its mean over the keys of a query, in the head where it is "
      "largest; a model fails at about " +
      short_number(calibration::kFailingNoise) +
      " nats. *Divergence* is that of the softmax from exact scores, in nats, the mean over heads. "
      "*Gain* is the predicted square of score errors with balance over that without, in the head "
      "where it is least; heads with " +
      short_number(calibration::kMostBalancedGain) + " or less are balanced.\n\n" +
      markdown_row({"layer", "noise, paper", "noise, chosen", "divergence, paper",
                    "divergence, chosen", "gain", "balanced heads"}) +
      "|---:|---:|---:|---:|---:|---:|---:|\n";
  for (std::size_t layer = 0; layer < r.layers; ++layer) {
    const Layer of = layer_of(r, layer);
    text += markdown_row({std::to_string(layer), short_number(of.plain_noise),
                          short_number(of.noise), short_number(of.plain_divergence),
                          short_number(of.divergence), short_number(of.gain),
                          std::to_string(of.balanced) + " of " + std::to_string(r.kv_heads)});
  }
  return text + "\n";
}

std::string files_text(const TuneResult& r) {
  std::string text =
      "## Files\n\n`cache` holds the specification in one line:\n\n```\n" + r.cache + "\n```\n\n";
  for (const std::string& name : r.files) text += "- " + code(name) + "\n";
  for (const std::string& name : plain_files(r))
    if (std::count(r.files.begin(), r.files.end(), name) == 0)
      text += "- " + code(name) + ": the paper's macro, to compare with\n";
  return text + "- `recipe.json`: all figures\n";
}

}  // namespace

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::vector<std::string> plain_files(const TuneResult& result) {
  std::vector<std::string> names;
  const TuneWidths& bits = result.candidates[result.plain].bits;
  if (bits.keys != 0)
    names.push_back(Half{false, &key_ways().front(), bits.keys}.configuration_name());
  if (bits.values != 0)
    names.push_back(Half{true, &value_ways().front(), bits.values}.configuration_name());
  return names;
}

std::string report_of(const TuneResult& r) {
  std::string text =
      "# A KV cache for " + r.model +
      "\n\nWritten by `axelram tune`. Take it wherever a cache is "
      "named, with this model alone:\n\n```\naxelram perplexity MODEL TEXT --cache tuned:DIR\n"
      "```\n\n## What was chosen\n\n" +
      chosen_text(r) + "\n" + plain_text(r) + "\n\n## What was measured\n\n" +
      std::to_string(r.candidates[r.chosen].scores.predictions) + " predictions on " +
      std::to_string(r.held_out.size()) + " windows of " + std::to_string(r.window) +
      " tokens of " + code(r.text) +
      " that nothing was calibrated on. KL is the mean divergence of the next-token distribution "
      "from that of FP16 keys and values, with its standard error. The first candidate within " +
      short_number(100 * kTuneMargin) +
      " % of the least KL is taken, the simplest first. *Noise* as in the next table, in the worst "
      "head of all. Where a candidate names one half, the other is FP16.\n\n" +
      candidates_text(r) + "\n" + names_text(r) + "\n" + differences_text(r) + "\n";
  if (!r.heads.empty()) text += layers_text(r);
  return text + files_text(r) + "\n## Model and text\n\n" + markdown_row({"model", code(r.model)}) +
         "|---|---|\n" +
         markdown_row({"SHA-256 of its tensors and configuration", code(r.digest)}) +
         markdown_row({"layers, KV heads, elements of a head",
                       std::to_string(r.layers) + ", " + std::to_string(r.kv_heads) + ", " +
                           std::to_string(r.head_dim)}) +
         markdown_row({"text", code(r.text) + ", " + std::to_string(r.tokens) + " tokens, " +
                                   std::to_string(r.text_windows) + " whole windows of " +
                                   std::to_string(r.window)}) +
         markdown_row({"digest of its tokens", code(r.ids_digest)}) +
         markdown_row({"windows calibrated on", numbers_text(r.calibration)}) +
         markdown_row({"windows held out", numbers_text(r.held_out)}) +
         markdown_row({"seed of the signs", std::to_string(r.options.seed)});
}

}  // namespace axelram::commands::tunes
