#pragma once

#include <cstddef>
#include <vector>

#include "recipes.hpp"

namespace axelram::commands::tunes {

/// Returns the pairs of keys and values to measure: for each width the pair of the paper's macros,
/// then that of the best halves. halves: keys alone and values alone, which were measured.
/// candidates: one for each half, in the same order; those that are not taken are told why.
std::vector<Recipe> pairs_of(const std::vector<Recipe>& halves,
                             const std::vector<TuneWidths>& widths,
                             std::vector<TuneCandidate>* candidates);

/// Chooses one of the candidates from `first` on, which are those of the recipes in their order.
void choose(const std::vector<Recipe>& recipes, std::size_t first, TuneResult* result);

}  // namespace axelram::commands::tunes
