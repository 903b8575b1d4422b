#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/rtl/layout.hpp"
#include "lines/section.hpp"

namespace axelram::report {

/// Sum of figure(parameters, j) over the parts of a macro: the sub-vectors of a split, or the key.
template <typename Figure>
int sum_of_parts(const Parameters& parameters, Figure&& figure) {
  int sum = 0;
  for (int j = 0; j < (parameters.split() ? 2 : 1); ++j)
    sum += figure(rtl::part_parameters(parameters, j), j);
  return sum;
}

/// Operations of each unit and what they take in hardware: the lines of the next functions.
void add_operators(const files::Config& config, Lines* lines);
void add_operations(const files::Config& config, Lines* lines);
void add_multiplications(const files::Config& config, Lines* lines);
void add_hardware(const files::Config& config, Lines* lines);
/// Multiplications of an unbiased norm per key.
int correlation_multiplications(const files::Config& config);
void add_scale(const files::Config& config, Lines* lines);
constexpr int kSubsets = 4;  ///< of the levels of a trellis
/// Squares of the search through a trellis per key; 0 without one.
int search_multiplications(const files::Config& config);
void add_trellis(const files::Config& config, Lines* lines);
/// Multiplications for the residual of a key, and for a key scored beside the one by its norm; 0
/// without residuals.
int residual_multiplications(const files::Config& config);
int term_multiplications(const files::Config& config);
void add_residual(const files::Config& config, Lines* lines);
void add_split(const files::Config& config, Lines* lines);
/// Number of levels as a formula, such as 2^b, and of those of all elements.
std::string levels_text(const Parameters& parameters);
int element_levels(const Parameters& parameters);
/// Entries of the score table as a formula, such as d * 2^b, and their number; 0 without a table.
std::string entries_text(const files::Config& config);
int table_entries(const files::Config& config);
/// True if read lanes multiply in place of a table.
bool lanes_multiply(const files::Config& config);
/// Exact tokens of a query over a full store, and the bytes of all copies.
std::uint64_t copies_scored(const files::Config& config);
double copies_bytes(const files::Config& config);
void add_exact(const files::Config& config, Lines* lines);
void add_memory(const files::Config& config, Lines* lines);
void add_storage(const files::Config& config, Lines* lines);
void add_cycles(const files::Config& config, const std::optional<files::Trace>& trace,
                Lines* lines);
/// Figures of a macro with plain keys beside those of this one, if it is another.
void add_plain(const files::Config& config, Lines* lines);
}  // namespace axelram::report
