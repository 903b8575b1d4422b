#include "axelram/perplexity/evaluate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "axelram/files/errors.hpp"
#include "prediction.hpp"

namespace axelram::perplexity {
namespace {

using transformer::Sequence;
using transformer::Transformer;

/// Rows of a forward pass, and of logits that are held at once.
constexpr std::size_t kBatchRows = 2048, kLogitRows = 256;

/// A prediction: the row of the hidden state it is made from, and the id that came.
struct Target {
  std::size_t row, id;
};

class Evaluation {
 public:
  Evaluation(const Transformer& model, std::span<const std::int32_t> ids,
             const std::vector<const transformer::Cache*>& caches)
      : model_(model), ids_(ids), caches_(caches), scores_(caches.size()) {}

  void batch(std::span<const Window> windows, std::uint32_t number) {
    std::vector<Sequence> sequences;
    std::vector<Target> targets;
    std::size_t row = 0;
    for (const Window& window : windows) {
      sequences.push_back({ids_.subspan(window.begin, window.size()), number++});
      for (std::size_t id = window.scored; id < window.end; ++id)
        targets.push_back({row + id - window.begin - 1, id});
      row += window.size();
    }
    std::vector<std::vector<float>> hidden;
    for (std::size_t c = 0; c < caches_.size(); ++c)
      hidden.push_back(model_.forward(sequences, *caches_[c], {}, &scores_[c].events));
    for (std::size_t first = 0; first < targets.size(); first += kLogitRows)
      score(hidden,
            std::span(targets).subspan(first, std::min(kLogitRows, targets.size() - first)));
  }

  std::vector<Scores> finish() {
    for (std::size_t c = 0; c < scores_.size(); ++c) {
      if (!std::isfinite(scores_[c].perplexity()))
        throw files::InputError("the mean nll is " + std::to_string(scores_[c].mean_nll()) +
                                ", its perplexity beyond any number; are these the weights?");
      const auto count = static_cast<double>(scores_[c].nll.size());
      scores_[c].kl /= count;
      scores_[c].top1 /= count;
      scores_[c].top5 /= count;
    }
    return std::move(scores_);
  }

 private:
  std::vector<float> logits(const std::vector<float>& hidden, std::span<const Target> targets) {
    const auto& a = model_.architecture();
    std::vector<float> rows(targets.size() * a.hidden), logits(targets.size() * a.vocabulary);
    for (std::size_t t = 0; t < targets.size(); ++t)
      std::copy_n(&hidden[targets[t].row * a.hidden], a.hidden, &rows[t * a.hidden]);
    model_.logits(rows.data(), targets.size(), logits.data());
    return logits;
  }

  void score(const std::vector<std::vector<float>>& hidden, std::span<const Target> targets) {
    const std::size_t vocabulary = model_.architecture().vocabulary;
    const std::vector<float> baseline = logits(hidden[0], targets);
    std::vector<Prediction> predictions(targets.size());
    for (std::size_t c = 0; c < hidden.size(); ++c) {
      const std::vector<float> own = c == 0 ? std::vector<float>() : logits(hidden[c], targets);
      model_.workers().run(targets.size(), [&](std::size_t, std::size_t t) {
        const float* const base = &baseline[t * vocabulary];
        predictions[t] =
            predict(base, c == 0 ? base : &own[t * vocabulary], vocabulary, ids_[targets[t].id]);
      });
      for (std::size_t t = 0; t < targets.size(); ++t) add(predictions[t], targets[t].id, c);
    }
  }

  void add(const Prediction& prediction, std::size_t id, std::size_t cache) {
    if (!std::isfinite(prediction.nll) || !std::isfinite(prediction.kl))
      throw files::InputError(
          "token " + std::to_string(id) +
          ": its likelihood is no number; do the weights hold NaN or infinity?");
    Scores& scores = scores_[cache];
    scores.nll.push_back(prediction.nll);
    scores.kl += prediction.kl;
    scores.top1 += prediction.rank < 1 ? 1 : 0;
    scores.top5 += prediction.rank < 5 ? 1 : 0;
  }

  const Transformer& model_;
  std::span<const std::int32_t> ids_;
  const std::vector<const transformer::Cache*>& caches_;
  std::vector<Scores> scores_;
};

}  // namespace

double Scores::mean_nll() const {
  double sum = 0;
  for (const double value : nll) sum += value;
  return sum / static_cast<double>(nll.size());
}

double Scores::perplexity() const { return std::exp(mean_nll()); }

std::vector<Scores> evaluate(const Transformer& model, std::span<const std::int32_t> ids,
                             const std::vector<Window>& windows,
                             const std::vector<const transformer::Cache*>& caches,
                             const std::function<void(const Progress&)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  std::size_t all = 0, done = 0;
  for (const Window& window : windows) all += window.size() * caches.size();
  Evaluation evaluation(model, ids, caches);
  for (std::size_t first = 0, end; first < windows.size(); first = end) {
    std::size_t rows = windows[first].size();
    for (end = first + 1; end < windows.size() && rows + windows[end].size() <= kBatchRows; ++end)
      rows += windows[end].size();
    evaluation.batch(std::span(windows).subspan(first, end - first),
                     static_cast<std::uint32_t>(first));
    done += rows * caches.size();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (progress) progress({done, all, seconds.count()});
  }
  return evaluation.finish();
}

}  // namespace axelram::perplexity
