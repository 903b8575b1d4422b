#pragma once

#include <vector>

#include "../plot.hpp"
#include "axelram/commands/sweep.hpp"
#include "rows.hpp"

namespace axelram::commands::sweeps {

/// Throws files::InputError for a front whose key `series` has more values than a legend holds.
void check_series(const Spec& spec, const std::vector<Candidate>& rows);

/// Rows that no other row beats: none is at least as good in both figures and better in one. Rows
/// with equal figures stand or fall together. By x, the best first, then by their number.
std::vector<std::size_t> front_rows(const SweepResult& result, const Pareto& pareto);

/// The rows as points, and the front as a line with the numbers of its rows. An axis is linear,
/// with a note, where a figure is not above 0.
Plot pareto_plot(const SweepResult& result, const SweepFront& front, const Pareto& pareto);

}  // namespace axelram::commands::sweeps
