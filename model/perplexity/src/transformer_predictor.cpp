#include "axelram/perplexity/transformer_predictor.hpp"

#include <algorithm>

#include "prediction.hpp"

namespace axelram::perplexity {
namespace {

/// Rows of logits that are held at once.
constexpr std::size_t kLogitRows = 256;

}  // namespace

std::vector<float> TransformerPredictor::logits(const std::vector<float>& hidden,
                                                std::span<const Target> targets) {
  const auto& a = model_.architecture();
  std::vector<float> rows(targets.size() * a.hidden), logits(targets.size() * a.vocabulary);
  for (std::size_t t = 0; t < targets.size(); ++t)
    std::copy_n(&hidden[targets[t].row * a.hidden], a.hidden, &rows[t * a.hidden]);
  model_.logits(rows.data(), targets.size(), logits.data());
  return logits;
}

std::vector<std::vector<Prediction>> TransformerPredictor::predict(
    std::span<const transformer::Sequence> sequences, std::span<const Target> targets,
    std::span<transformer::CacheEvents> events) {
  const std::size_t vocabulary = model_.architecture().vocabulary;
  std::vector<std::vector<float>> hidden;
  for (std::size_t c = 0; c < caches_.size(); ++c)
    hidden.push_back(model_.forward(sequences, *caches_[c], {}, &events[c]));
  std::vector<std::vector<Prediction>> predictions(caches_.size(),
                                                   std::vector<Prediction>(targets.size()));
  for (std::size_t first = 0; first < targets.size(); first += kLogitRows) {
    const auto some = targets.subspan(first, std::min(kLogitRows, targets.size() - first));
    const std::vector<float> baseline = logits(hidden[0], some);
    for (std::size_t c = 0; c < caches_.size(); ++c) {
      const std::vector<float> own = c == 0 ? std::vector<float>() : logits(hidden[c], some);
      model_.workers().run(some.size(), [&](std::size_t, std::size_t t) {
        const float* const base = &baseline[t * vocabulary];
        predictions[c][first + t] =
            perplexity::predict(base, c == 0 ? base : &own[t * vocabulary], vocabulary, some[t].id);
      });
    }
  }
  return predictions;
}

}  // namespace axelram::perplexity
