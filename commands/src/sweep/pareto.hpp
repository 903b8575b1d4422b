#pragma once

#include <optional>
#include <string>

#include "../plot.hpp"
#include "axelram/commands/sweep.hpp"
#include "spec.hpp"

namespace axelram::commands::sweeps {

/// A figure of a row as a number, or nothing if it is n/a or the row is rejected.
std::optional<double> number_of(const SweepResult& result, const SweepRow& row,
                                const std::string& column);

/// Rows that no other row beats: none is at least as good in both figures and better in one. Rows
/// with equal figures stand or fall together. By x, the best first, then by their number.
std::vector<std::size_t> front_rows(const SweepResult& result, const Pareto& pareto);

/// The rows as points, and the front as a line with the numbers of its rows.
Plot pareto_plot(const SweepResult& result, const SweepFront& front, const Pareto& pareto);

}  // namespace axelram::commands::sweeps
