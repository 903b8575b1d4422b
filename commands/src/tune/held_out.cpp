#include "held_out.hpp"

#include <algorithm>
#include <cmath>

#include "../beside_baseline.hpp"
#include "../in_model.hpp"
#include "../time_left.hpp"
#include "axelram/engines/engine.hpp"
#include "axelram/perplexity/evaluate.hpp"

namespace axelram::commands::tunes {
namespace {

/// Sums over predictions of one cache.
struct Sums {
  std::size_t predictions = 0;
  double kl = 0, kl_squares = 0, nll = 0, first = 0;

  explicit Sums(const perplexity::Scores& scores) : predictions(scores.nll.size()) {
    for (std::size_t i = 0; i < predictions; ++i) {
      kl += scores.kls[i];
      kl_squares += scores.kls[i] * scores.kls[i];
      nll += scores.nll[i];
      first += scores.ranks[i] == 0 ? 1 : 0;
    }
  }
  explicit Sums(const nlohmann::json& noted) {
    noted.at("predictions").get_to(predictions);
    noted.at("kl").get_to(kl);
    noted.at("kl_squares").get_to(kl_squares);
    noted.at("nll").get_to(nll);
    noted.at("first").get_to(first);
  }
  Json json() const {
    return {{"predictions", predictions},
            {"kl", kl},
            {"kl_squares", kl_squares},
            {"nll", nll},
            {"first", first}};
  }
};

TuneScores scores_of(const std::vector<std::vector<Sums>>& windows, std::size_t cache) {
  TuneScores all;
  double squares = 0;
  for (const std::vector<Sums>& window : windows) {
    const Sums& one = window[cache];
    all.predictions += one.predictions;
    all.kl += one.kl;
    squares += one.kl_squares;
    all.nll += one.nll;
    all.top1 += one.first;
  }
  const auto count = static_cast<double>(all.predictions);
  all.kl /= count;
  all.nll /= count;
  all.top1 /= count;
  all.kl_error = std::sqrt(std::max(0.0, squares / count - all.kl * all.kl) / count);
  return all;
}

/// The record of a window, if it has these caches.
std::optional<std::vector<Sums>> noted(const Work& work, const std::string& step,
                                       const std::vector<std::string>& names) {
  const std::optional<nlohmann::json> record = work.folder.record(step);
  if (!record) return {};
  try {
    std::vector<Sums> sums;
    for (const std::string& name : names) sums.emplace_back(record->at(name));
    return sums;
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

}  // namespace

HeldOut measure(const Work& work, const std::string& step, const std::vector<Recipe>& recipes) {
  std::vector<std::string> names = {"fp16"};
  std::vector<caches::Specification> specifications = {{caches::Float16{}, caches::Float16{}}};
  for (const Recipe& recipe : recipes) {
    names.push_back(recipe.name());
    specifications.push_back(recipe.specification(work.folder.path()));
  }
  const std::vector<perplexity::Window>& windows = work.parts.held_out;
  engines::PerplexityModel model = engines::perplexity_model(
      EngineKind::fast, {work.input.checkpoint, specifications, windows,
                         thread_count(work.options.model.threads), lines_of(work.progress)});
  std::vector<std::optional<std::vector<Sums>>> all;
  std::size_t left = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    all.push_back(noted(work, step + "-" + std::to_string(w), names));
    if (!all.back()) left += windows[w].size() * names.size();
  }
  perplexity::Progress at{0, left, 0};
  for (std::size_t w = 0; w < windows.size(); ++w) {
    if (all[w]) continue;
    const perplexity::Progress before = at;
    const std::vector<perplexity::Scores> scores = in_model(work.options.model.model, [&] {
      return perplexity::evaluate(*model.predictor, work.input.text.ids, {windows[w]},
                                  [&](const perplexity::Progress& now) {
                                    at.tokens = before.tokens + now.tokens;
                                    at.seconds = before.seconds + now.seconds;
                                    tell(work.progress, step_of(step, at));
                                  });
    });
    Json record = Json::object();
    all[w].emplace();
    for (std::size_t c = 0; c < names.size(); ++c) {
      all[w]->emplace_back(scores[c]);
      record[names[c]] = all[w]->back().json();
    }
    work.folder.write_record(step + "-" + std::to_string(w), record);
  }
  std::vector<std::vector<Sums>> sums;
  for (std::optional<std::vector<Sums>>& window : all) sums.push_back(*std::move(window));
  HeldOut result{{}, model.bytes};
  for (std::size_t c = 0; c < names.size(); ++c) result.scores.push_back(scores_of(sums, c));
  return result;
}

}  // namespace axelram::commands::tunes
