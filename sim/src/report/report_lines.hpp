#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "axelram/rtl/layout.hpp"
#include "axelram/sim/report.hpp"

namespace axelram::sim {

/// Adds the lines of one section.
class Section {
 public:
  Section(std::vector<ReportLine>* lines, std::string title)
      : lines_(lines), title_(std::move(title)) {}

  void count(const std::string& name, std::uint64_t value, const std::string& unit,
             const std::string& note, std::optional<double> paper = {}) {
    lines_->push_back({title_, name, value, unit, Method::counted, paper, note});
  }
  void count(const std::string& name, int value, const std::string& unit, const std::string& note,
             std::optional<double> paper = {}) {
    count(name, static_cast<std::uint64_t>(value), unit, note, paper);
  }
  /// A figure with a fraction. NaN becomes n/a.
  void figure(const std::string& name, double value, const std::string& unit, Method method,
              const std::string& note, std::optional<double> paper = {}) {
    if (std::isfinite(value))
      lines_->push_back({title_, name, value, unit, method, paper, note});
    else
      missing(name, unit, "not finite on this data");
  }
  void missing(const std::string& name, const std::string& unit, const std::string& note) {
    lines_->push_back({title_, name, {}, unit, Method::not_available, {}, note});
  }

 private:
  std::vector<ReportLine>* lines_;
  std::string title_;
};

/// Selects figures of the paper that apply to this configuration. They hold for d = 128, b = 3,
/// records of one part and a table of every product; some only for the fully parallel macro of its
/// figure 2, some only for T = 4096 stored keys.
class Paper {
 public:
  explicit Paper(const files::Config& config)
      : dimensions_(config.parameters.head_dim == 128 && config.parameters.index_bits == 3 &&
                    !config.parameters.prod() && !config.parameters.split() &&
                    config.microarchitecture.score_lane == files::ScoreLane::table),
        parallel_(config.microarchitecture.key_lanes == 128 &&
                  config.microarchitecture.read_lanes == 128),
        depth_(config.max_keys == 4096) {}

  std::optional<double> operator()(double figure) const { return where(dimensions_, figure); }
  std::optional<double> in_parallel(double figure) const {
    return where(dimensions_ && parallel_, figure);
  }
  std::optional<double> at_4096_keys(double figure) const {
    return where(dimensions_ && depth_, figure);
  }

 private:
  static std::optional<double> where(bool applies, double figure) {
    return applies ? std::optional(figure) : std::nullopt;
  }
  bool dimensions_, parallel_, depth_;
};

using Lines = std::vector<ReportLine>;
class Elaboration;
struct Activity;
struct DecodingStep;
struct MappedDesign;

/// Sum of figure(parameters, j) over the parts of a macro: the sub-vectors of a split, or the key.
template <typename Figure>
int sum_of_parts(const Parameters& parameters, Figure&& figure) {
  int sum = 0;
  for (int j = 0; j < (parameters.split() ? 2 : 1); ++j)
    sum += figure(rtl::part_parameters(parameters, j), j);
  return sum;
}

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
/// Area, energy and time of the SRAM, from the source of section memory.
void add_key_store(const files::Config& config, Lines* lines);
/// Reads of the SRAM by a query on so many keys.
std::uint64_t reads_of_query(const files::Config& config, std::uint64_t keys);
/// Macros, cycles, time, accesses and energy of a decoding step; n/a without one. Energy of the
/// logic is n/a without a design.
void add_token(const files::Config& config, const DecodingStep* step, const MappedDesign* design,
               Lines* lines);
void add_token_energy(const files::Config& config, const DecodingStep* step,
                      const MappedDesign* design, const char* without_step, Lines* lines);
/// Lines of the units that the macro is compared with; n/a for the reason `why`, if there is one.
void add_token_baselines(const files::Config& config, const DecodingStep* step,
                         const std::string& why, Lines* lines);
void add_activity(const MappedDesign& design, const Activity& activity, Lines* lines);
/// "axelram_score_table" -> "score_table"; the generated modules without the name of the macro.
/// `top`: name of the top in the RTL.
std::string module_name(const std::string& source, const std::string& top);
void add_cycles(const files::Config& config, const std::optional<files::Trace>& trace,
                Lines* lines);
/// Figures of a macro with plain keys beside those of this one, if it is another.
void add_plain(const files::Config& config, Lines* lines);
/// Norms of a record that erasures leave to interpolation; 0 without a code.
int interpolated_norms(const files::Config& config);
void add_codes(const files::Config& config, bool synthesize, Lines* lines);
/// Gates and flip-flops of the units that quantizer, scale and exact tokens decide on, if the RTL
/// is elaborated; takes up to minutes.
void add_gates(const files::Config& config, const Elaboration* elaboration, Lines* lines);
/// Lines of the code of `config`, which has one. Their names begin with `prefix`.
void add_code_counts(const files::Config& config, const std::string& prefix, Section* section);
void add_code_gates(const files::Config& config, const std::string& prefix, Section* section);
void add_code_storage(const files::Config& config, Lines* lines);
void add_gaussian_accuracy(const files::Config& config, Lines* lines);
void add_trace_accuracy(const files::Config& config, const files::Trace& trace, Lines* lines);
/// The whole report of a macro with attention: operations, memory, cycles and accuracy. Its units
/// in hardware are not counted.
std::vector<ReportLine> attention_report(const files::Config& config,
                                         const std::optional<files::Trace>& trace,
                                         const MappedDesign* mapped);

/// Gates of the encoder and decoder of one word, without registers, as Yosys maps them: generic
/// two-input gates and inverters. Depths are gates on the longest path.
struct CodeCost {
  int encoder_gates, encoder_depth;
  int decoder_gates, decoder_depth;
};

/// Synthesizes the unit with decoder `decoder` (a name of ecc.decoder); takes seconds. Throws
/// files::EnvironmentError if Yosys is missing or fails.
CodeCost measure_code_cost(const std::string& code, const std::string& decoder);

}  // namespace axelram::sim
