#include "axelram/perplexity/evaluate.hpp"

#include <chrono>
#include <cmath>
#include <string>

#include "axelram/files/errors.hpp"
#include "axelram/perplexity/transformer_predictor.hpp"

namespace axelram::perplexity {
namespace {

using transformer::Sequence;

class Evaluation {
 public:
  Evaluation(Predictor& model, std::span<const std::int32_t> ids)
      : model_(model), ids_(ids), scores_(model.caches()), events_(model.caches()) {}

  void batch(std::span<const Window> windows, std::uint32_t number, const Advance& advance) {
    std::vector<Sequence> sequences;
    std::vector<Target> targets;
    std::vector<std::size_t> places;  // of the targets in the text
    std::size_t row = 0;
    for (const Window& window : windows) {
      sequences.push_back({ids_.subspan(window.begin, window.size()), number++});
      for (std::size_t id = window.scored; id < window.end; ++id) {
        targets.push_back({row + id - window.begin - 1, ids_[id]});
        places.push_back(id);
      }
      row += window.size();
    }
    const auto predictions = model_.predict(sequences, targets, events_, advance);
    for (std::size_t c = 0; c < predictions.size(); ++c)
      for (std::size_t t = 0; t < targets.size(); ++t) add(predictions[c][t], places[t], c);
  }

  std::vector<Scores> finish() {
    for (std::size_t c = 0; c < scores_.size(); ++c) {
      scores_[c].events = events_[c];
      if (!std::isfinite(scores_[c].perplexity()))
        throw files::InputError("the mean nll is " + std::to_string(scores_[c].mean_nll()) +
                                ", its perplexity beyond any number; are these the weights?");
      const auto count = static_cast<double>(scores_[c].nll.size());
      scores_[c].kl /= count;
      scores_[c].top1 /= count;
      scores_[c].top5 /= count;
      scores_[c].agreement /= count;
    }
    return std::move(scores_);
  }

 private:
  void add(const Prediction& prediction, std::size_t id, std::size_t cache) {
    if (!std::isfinite(prediction.nll) || !std::isfinite(prediction.kl))
      throw files::InputError(
          "token " + std::to_string(id) +
          ": its likelihood is no number; do the weights hold NaN or infinity?");
    Scores& scores = scores_[cache];
    scores.nll.push_back(prediction.nll);
    scores.kls.push_back(prediction.kl);
    scores.ranks.push_back(static_cast<std::int32_t>(prediction.rank));
    scores.kl += prediction.kl;
    scores.top1 += prediction.rank < 1 ? 1 : 0;
    scores.top5 += prediction.rank < 5 ? 1 : 0;
    scores.agreement += prediction.agrees ? 1 : 0;
  }

  Predictor& model_;
  std::span<const std::int32_t> ids_;
  std::vector<Scores> scores_;
  std::vector<transformer::CacheEvents> events_;
};

/// Tells how far an evaluation is, and not so often that telling takes time.
class Telling {
 public:
  Telling(const std::function<void(const Progress&)>& progress, std::size_t all)
      : progress_(progress), all_(all) {}

  void at(std::size_t tokens) {
    if (!progress_) return;
    told_ = Clock::now();
    progress_({tokens, all_, std::chrono::duration<double>(told_ - start_).count()});
  }
  void maybe_at(double tokens) {
    constexpr std::chrono::milliseconds kInterval(200);
    if (Clock::now() - told_ >= kInterval) at(static_cast<std::size_t>(tokens));
  }

 private:
  using Clock = std::chrono::steady_clock;
  const std::function<void(const Progress&)>& progress_;
  std::size_t all_;
  Clock::time_point start_ = Clock::now(), told_ = start_;
};

}  // namespace

std::vector<std::span<const Window>> batches_of(const std::vector<Window>& windows) {
  constexpr std::size_t kRows = 2048;
  std::vector<std::span<const Window>> batches;
  for (std::size_t first = 0, end; first < windows.size(); first = end) {
    std::size_t rows = windows[first].size();
    for (end = first + 1; end < windows.size() && rows + windows[end].size() <= kRows; ++end)
      rows += windows[end].size();
    batches.push_back(std::span(windows).subspan(first, end - first));
  }
  return batches;
}

double Scores::mean_nll() const {
  double sum = 0;
  for (const double value : nll) sum += value;
  return sum / static_cast<double>(nll.size());
}

double Scores::perplexity() const { return std::exp(mean_nll()); }

std::vector<Scores> evaluate(Predictor& model, std::span<const std::int32_t> ids,
                             const std::vector<Window>& windows,
                             const std::function<void(const Progress&)>& progress) {
  const auto tokens_of = [&](std::span<const Window> some) {
    std::size_t sum = 0;
    for (const Window& window : some) sum += window.size() * model.caches();
    return sum;
  };
  Telling telling(progress, tokens_of(windows));
  std::size_t done = 0;
  Evaluation evaluation(model, ids);
  for (const std::span<const Window> batch : batches_of(windows)) {
    const std::size_t tokens = tokens_of(batch);
    evaluation.batch(
        batch, static_cast<std::uint32_t>(batch.data() - windows.data()), [&](double share) {
          telling.maybe_at(static_cast<double>(done) + share * static_cast<double>(tokens));
        });
    done += tokens;
    telling.at(done);
  }
  return evaluation.finish();
}

std::vector<Scores> evaluate(const transformer::Transformer& model,
                             std::span<const std::int32_t> ids, const std::vector<Window>& windows,
                             const std::vector<const transformer::KvCache*>& caches,
                             const std::function<void(const Progress&)>& progress) {
  TransformerPredictor predictor(model, caches);
  return evaluate(predictor, ids, windows, progress);
}

}  // namespace axelram::perplexity
