#include "choice.hpp"

#include <algorithm>

#include "axelram/calibration/predicted_noise.hpp"
#include "report.hpp"

namespace axelram::commands::tunes {
namespace {

using Numbers = std::vector<std::size_t>;

/// Returns the number of the best candidate. Candidates are in the order of the ways, the simplest
/// first: the best is the first within kTuneMargin of the least divergence. The paper's macro is
/// the best if its divergence is below kTuneNothing.
std::size_t best_of(const Numbers& numbers, const std::vector<Recipe>& recipes,
                    const std::vector<TuneCandidate>& candidates) {
  const auto kl = [&](std::size_t i) { return candidates[i].scores.kl; };
  double least = kl(numbers.front());
  for (const std::size_t i : numbers) {
    if (recipes[i].plain() && kl(i) < kTuneNothing) return i;
    least = std::min(least, kl(i));
  }
  return *std::find_if(numbers.begin(), numbers.end(),
                       [&](std::size_t i) { return kl(i) <= (1 + kTuneMargin) * least; });
}

std::string why_not(const TuneCandidate& one, const TuneCandidate& best) {
  const double kl = one.scores.kl, least = best.scores.kl;
  if (kl > (1 + kTuneMargin) * least) {
    const std::string fails = one.noise >= calibration::kFailingNoise ? "fails, " : "";
    return fails + "KL " + short_number(kl / least) + " times the best";
  }
  if (kl >= least) return "no better than a simpler or smaller one";
  return "better than the one taken, which is simpler, by less than it takes to count";
}

void reject_others(const Numbers& numbers, std::size_t best,
                   std::vector<TuneCandidate>* candidates) {
  for (const std::size_t i : numbers)
    if (i != best) (*candidates)[i].rejected = why_not((*candidates)[i], (*candidates)[best]);
}

/// Candidates of one half of as many bits.
template <class Bits>
Numbers numbers_of(const std::vector<Recipe>& recipes, const Bits& bits) {
  Numbers numbers;
  for (std::size_t i = 0; i < recipes.size(); ++i)
    if (bits(recipes[i].bits())) numbers.push_back(i);
  return numbers;
}

}  // namespace

std::vector<Recipe> pairs_of(const std::vector<Recipe>& halves,
                             const std::vector<TuneWidths>& widths,
                             std::vector<TuneCandidate>* candidates) {
  std::vector<Recipe> pairs;
  for (const TuneWidths& width : widths) {
    const Numbers keys = numbers_of(halves, [&](auto bits) { return bits.keys == width.keys; }),
                  values =
                      numbers_of(halves, [&](auto bits) { return bits.values == width.values; });
    const std::size_t key = best_of(keys, halves, *candidates),
                      value = best_of(values, halves, *candidates);
    reject_others(keys, key, candidates);
    reject_others(values, value, candidates);
    pairs.push_back({halves[keys.front()].keys, halves[values.front()].values});
    if (const Recipe best{halves[key].keys, halves[value].values}; !best.plain())
      pairs.push_back(best);
  }
  return pairs;
}

void choose(const std::vector<Recipe>& recipes, std::size_t first, TuneResult* result) {
  Numbers numbers;
  for (std::size_t i = first; i < recipes.size(); ++i) numbers.push_back(i);
  result->chosen = best_of(numbers, recipes, result->candidates);
  reject_others(numbers, result->chosen, &result->candidates);
  result->candidates[result->chosen].chosen = true;
  const TuneWidths bits = recipes[result->chosen].bits();
  result->plain = *std::find_if(numbers.begin(), numbers.end(), [&](std::size_t i) {
    return recipes[i].plain() && recipes[i].bits() == bits;
  });
}

}  // namespace axelram::commands::tunes
