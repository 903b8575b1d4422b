#include "axelram/perplexity/transformer_predictor.hpp"

#include <algorithm>

#include "axelram/transformer/out_of_range.hpp"
#include "axelram/transformer/session.hpp"
#include "prediction.hpp"

namespace axelram::perplexity {
namespace {

/// Rows of logits that are held at once.
constexpr std::size_t kLogitRows = 256;

/// Work in products with a weight, as what is done of it.
class Work {
 public:
  Work(const checkpoints::Architecture& a, std::size_t rows, std::size_t targets,
       std::size_t caches, const Advance& advance)
      : advance_(advance),
        row_(static_cast<double>(a.hidden * a.head_dim * 2 * (a.heads + a.kv_heads) +
                                 a.hidden * a.ffn * (a.gated() ? 3 : 2))),
        target_(static_cast<double>(a.hidden * a.vocabulary)),
        all_(static_cast<double>(caches) * (row_ * static_cast<double>(rows * a.layers) +
                                            target_ * static_cast<double>(targets))) {}

  void rows_of_layer(std::size_t count) { add(row_ * static_cast<double>(count)); }
  void targets(std::size_t count) { add(target_ * static_cast<double>(count)); }

 private:
  void add(double work) {
    done_ += work;
    if (advance_) advance_(std::min(done_ / all_, 1.0));
  }

  const Advance& advance_;
  double row_, target_, all_, done_ = 0;
};

std::size_t tokens_of(std::span<const transformer::Sequence> sequences) {
  std::size_t sum = 0;
  for (const transformer::Sequence& sequence : sequences) sum += sequence.ids.size();
  return sum;
}

}  // namespace

/// As Transformer::forward, a chunk of every sequence at a time.
std::vector<float> TransformerPredictor::hidden_of(std::span<const transformer::Sequence> sequences,
                                                   const transformer::KvCache& cache,
                                                   const transformer::Observer& observer,
                                                   transformer::CacheEvents* events) const {
  const bool goes_on = !from_.empty() && cache.bounded();
  if (chunk_ == 0 && !goes_on) return model_.forward(sequences, cache, observer, events);
  const std::size_t width = model_.architecture().hidden;
  std::size_t longest = 0;
  for (const transformer::Sequence& sequence : sequences)
    longest = std::max(longest, sequence.ids.size());
  std::vector<float> hidden(tokens_of(sequences) * width);
  transformer::Session session(model_, cache);
  for (const transformer::Sequence& sequence : sequences)
    if (goes_on) session.load(sequence.number, from_);
  const std::size_t chunk = chunk_ == 0 ? longest : chunk_;
  for (std::size_t first = 0; first < longest; first += chunk) {
    std::vector<transformer::Sequence> step;
    std::vector<float*> places;
    float* rows = hidden.data();
    for (const transformer::Sequence& sequence : sequences) {
      const std::size_t size = sequence.ids.size();
      if (first < size) {
        step.push_back(
            {sequence.ids.subspan(first, std::min(chunk, size - first)), sequence.number});
        places.push_back(rows + first * width);
      }
      rows += size * width;
    }
    const std::vector<float> some = session.step(step, observer);
    const float* from = some.data();
    for (std::size_t s = 0; s < step.size(); ++s) {
      const std::size_t count = step[s].ids.size() * width;
      std::copy_n(from, count, places[s]);
      from += count;
    }
  }
  *events += session.events();
  return hidden;
}

void TransformerPredictor::compute_logits(const std::vector<float>& hidden,
                                          std::span<const Target> targets,
                                          std::vector<float>* logits) {
  const auto& a = model_.architecture();
  rows_.resize(std::max(rows_.size(), targets.size() * a.hidden));
  logits->resize(std::max(logits->size(), targets.size() * a.vocabulary));
  for (std::size_t t = 0; t < targets.size(); ++t)
    std::copy_n(&hidden[targets[t].row * a.hidden], a.hidden, &rows_[t * a.hidden]);
  model_.logits(rows_.data(), targets.size(), logits->data());
}

std::vector<std::vector<Prediction>> TransformerPredictor::predict(
    std::span<const transformer::Sequence> sequences, std::span<const Target> targets,
    std::span<transformer::CacheEvents> events, const Advance& advance) {
  const std::size_t vocabulary = model_.architecture().vocabulary;
  Work work(model_.architecture(), tokens_of(sequences), targets.size(), caches_.size(), advance);
  const auto observer = [&](const transformer::AttentionInputs& inputs) {
    work.rows_of_layer(inputs.tokens);
  };
  std::vector<std::vector<float>> hidden;
  for (std::size_t c = 0; c < caches_.size(); ++c)
    transformer::with_cache(
        c, [&] { hidden.push_back(hidden_of(sequences, *caches_[c], observer, &events[c])); });
  std::vector<std::vector<Prediction>> predictions(caches_.size(),
                                                   std::vector<Prediction>(targets.size()));
  std::vector<Distribution> baselines(std::min(kLogitRows, targets.size()));
  for (std::size_t first = 0; first < targets.size(); first += kLogitRows) {
    const auto some = targets.subspan(first, std::min(kLogitRows, targets.size() - first));
    for (std::size_t c = 0; c < caches_.size(); ++c) {
      std::vector<float>& logits = c == 0 ? baseline_logits_ : logits_;
      compute_logits(hidden[c], some, &logits);
      model_.workers().run(some.size(), [&](std::size_t, std::size_t t) {
        const Distribution own(&logits[t * vocabulary], vocabulary);
        if (c == 0) baselines[t] = own;
        predictions[c][first + t] = perplexity::predict(baselines[t], own, some[t].id);
      });
      work.targets(some.size());
    }
  }
  return predictions;
}

}  // namespace axelram::perplexity
