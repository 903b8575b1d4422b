#pragma once

#include <string>
#include <vector>

#include "rows.hpp"

namespace axelram::commands::sweeps {

/// Names of the columns: those of the sweep, or its defaults, and then the figures of fronts.
std::vector<std::string> columns_of(const Spec& spec);

/// Throws files::InputError for a column or a figure of a front that no configuration of the sweep
/// has, before any is evaluated. Synthesizes nothing.
void check_columns(const Spec& spec, const std::vector<Candidate>& rows, const SweepTrace& trace,
                   const std::vector<std::string>& columns);

/// The figures of a point in the order of the columns; n/a for those that it does not have.
std::vector<report::Line> figures_of(const std::vector<report::Line>& lines,
                                     const std::vector<std::string>& columns);

}  // namespace axelram::commands::sweeps
