#pragma once

#include <cstddef>
#include <vector>

#include "recipes.hpp"

namespace axelram::commands::tunes {

/// Of keys and values that were measured each by itself, the pairs to measure: for each width the
/// best of both, behind the pair of the paper's macros. Says of the candidates, which are those of
/// the recipes in their order, which halves were taken and why others were not.
std::vector<Recipe> pairs_of(const std::vector<Recipe>& halves,
                             const std::vector<TuneWidths>& widths,
                             std::vector<TuneCandidate>* candidates);

/// Chooses one of the candidates from `first` on, which are those of the recipes in their order.
void choose(const std::vector<Recipe>& recipes, std::size_t first, TuneResult* result);

}  // namespace axelram::commands::tunes
