#include "axelram/perplexity/needle.hpp"

#include <cmath>
#include <string>

#include "axelram/files/errors.hpp"

namespace axelram::perplexity {

NeedleText plant(std::span<const std::int32_t> haystack, const Needle& needle, std::size_t length,
                 double depth, std::span<const std::int32_t> bos) {
  const std::size_t own =
      bos.size() + needle.fact.size() + needle.question.size() + needle.answer.size();
  if (length <= own)
    throw files::InputError("a text of " + std::to_string(length) +
                            " tokens has no place for a fact, its question and its answer, which "
                            "have " +
                            std::to_string(own));
  const std::size_t straws = length - own;
  const auto before = static_cast<std::size_t>(std::lround(depth * static_cast<double>(straws)));
  NeedleText text;
  const auto append = [&text](std::span<const std::int32_t> ids) {
    text.ids.insert(text.ids.end(), ids.begin(), ids.end());
  };
  append(bos);
  append(haystack.subspan(0, before));
  text.fact = text.ids.size();
  append(needle.fact);
  append(haystack.subspan(before, straws - before));
  append(needle.question);
  text.answer = text.ids.size();
  append(needle.answer);
  return text;
}

std::vector<std::vector<NeedleScore>> find_needles(
    Predictor& model, const std::vector<NeedleText>& texts,
    const std::function<void(std::size_t done)>& advance) {
  std::vector<std::vector<NeedleScore>> scores(model.caches());
  std::vector<transformer::CacheEvents> events(model.caches());
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const NeedleText& text = texts[k];
    const transformer::Sequence sequence{text.ids, static_cast<std::uint32_t>(k)};
    std::vector<Target> targets;
    for (std::size_t i = text.answer; i < text.ids.size(); ++i)
      targets.push_back({i - 1, text.ids[i]});
    const auto predictions = model.predict({&sequence, 1}, targets, events, {});
    for (std::size_t c = 0; c < scores.size(); ++c) {
      NeedleScore score{true, 0};
      for (const Prediction& one : predictions[c]) {
        score.found = score.found && one.rank == 0;
        score.nll += one.nll / static_cast<double>(targets.size());
      }
      scores[c].push_back(score);
    }
    if (advance) advance(k + 1);
  }
  return scores;
}

}  // namespace axelram::perplexity
