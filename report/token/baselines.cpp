#include <algorithm>
#include <optional>

#include "axelram/report/baseline.hpp"
#include "axelram/report/cells.hpp"
#include "axelram/report/token.hpp"
#include "sram/estimate.hpp"
#include "token/token_energy.hpp"
#include "token/token_lines.hpp"

namespace axelram::report {
namespace {

constexpr const char* kBaselineCells = "--liberty FILE: the cells it is made of";

/// The beginning of the names of its lines, and what it is.
struct BaselineNames {
  BaselineKind kind;
  const char* prefix;
  const char* what;
};
constexpr BaselineNames kBaselineNames[] = {
    {BaselineKind::half, "token_floats_",
     "FP16 keys in SRAMs of as many words, d FP16 multipliers and an FP32 tree"},
    {BaselineKind::dequantize, "token_dequantized_",
     "the same records, a ROM of FP16 centroids, d FP16 multipliers and an FP32 tree, times the "
     "norm; without the rotation of queries and the quantizer"}};

std::optional<double> value_of(const Lines& lines, const std::string& name) {
  for (const Line& line : lines)
    if (line.name == name) {
      if (const auto* real = std::get_if<double>(&line.value)) return *real;
      if (const auto* whole = std::get_if<std::uint64_t>(&line.value))
        return static_cast<double>(*whole);
    }
  return {};
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Lines of one baseline.
class BaselineLines {
 public:
  BaselineLines(const BaselineNames& names, std::string missing, Lines* lines)
      : names_(names), missing_(std::move(missing)), lines_(lines) {}

  void add(const char* name, std::optional<double> value, const char* unit, Method method,
           const std::string& note) {
    Section section(lines_, "a token");
    const std::string full = std::string(names_.prefix) + name;
    if (!missing_.empty())
      section.missing(full, unit, missing_);
    else if (value)
      section.figure(full, *value, unit, method, note);
    else
      section.missing(full, unit, note);
  }
  /// A figure of section cells; `what` comes before its note.
  void copy(const char* name, const char* unit, const std::string& what, const Lines& cells) {
    for (Line line : cells)
      if (line.name == name && missing_.empty()) {
        line.section = "a token";
        line.name = std::string(names_.prefix) + name;
        if (!what.empty()) line.note = what + "; " + line.note;
        lines_->push_back(std::move(line));
        return;
      }
    add(name, {}, unit, Method::not_available, "not mapped");
  }
  /// The figure of the baseline over that of the macro, with both in the note.
  void ratio(const char* name, const std::string& of, const std::string& macro, const char* unit) {
    const std::optional<double> above = value_of(*lines_, names_.prefix + of);
    const std::optional<double> below = value_of(*lines_, macro);
    if (above && below && *below != 0)
      add(name, *above / *below, "x", Method::estimated,
          short_number(*above) + " " + unit + " over " + short_number(*below) + " " + unit +
              " of the macro");
    else
      add(name, {}, "x", Method::not_available,
          std::string(above ? macro : names_.prefix + of) + " is n/a");
  }

 private:
  const BaselineNames& names_;
  const std::string missing_;
  Lines* lines_;
};

void add_baseline(const files::Config& config, const DecodingStep* step, const BaselineNames& names,
                  const std::string& why, Lines* lines) {
  const Baseline baseline = baseline_of(config, names.kind);
  const MeasuredBaseline* found = nullptr;
  if (why.empty() && step->baselines != nullptr && step->baselines->count(names.kind) != 0)
    found = &step->baselines->at(names.kind);
  std::string missing = why;
  if (missing.empty() && !baseline.missing.empty()) missing = baseline.missing;
  if (missing.empty() && found == nullptr) missing = kBaselineCells;
  LogicEnergy logic;
  Lines cells;
  if (missing.empty()) {
    logic = logic_energy(found->design, found->activity, step->period);
    missing = logic.missing;
    add_cells(&found->design, &cells);
  }
  BaselineLines out(names, missing, lines);
  const ModelShape shape = step != nullptr ? step->shape : ModelShape{1, 1, 1, 1};
  const StepCounts counts = counts_of(config, shape);
  const double period = step != nullptr ? step->period : 0;
  const SramEstimate sram = estimate_of_source(
      config, {static_cast<std::uint64_t>(config.max_keys), baseline.stored_bits});
  // A key written, and for each query its load and a key per cycle; a read takes a cycle.
  const std::uint64_t cycles =
      1 + counts.queries * (1 + counts.fullest) + 1 + static_cast<std::uint64_t>(baseline.latency);
  const auto scores = static_cast<double>(shape.layers * shape.query_heads * shape.context);
  const auto queries =
      static_cast<double>(shape.layers * shape.query_heads * counts.macros_of_head);
  const auto macro_cycles = static_cast<double>(counts.macros * cycles);
  const double idle = macro_cycles * logic.idle_power * period * 1e-6;
  const double read = (queries * logic.query + scores * logic.score) * 1e-6;

  const Method estimated = Method::estimated;
  out.copy("cells", "cells", names.what, cells);
  out.copy("area", "um^2", "", cells);
  out.copy("longest_path", "ns", "", cells);
  out.add("layer_cycles", static_cast<double>(cycles), "cycles", Method::counted,
          "a key written in a cycle, " + std::to_string(counts.queries) +
              " queries each loaded in a cycle, a key read per cycle, and the latency");
  out.add("idle_power", logic.idle_power, "mW", estimated, "the clock alone toggles, and leakage");
  out.add("score_logic_energy", logic.score, "pJ", estimated,
          "above idle, of a key scored; activity of " +
              std::to_string(found != nullptr ? found->activity.keys_scored : 0) + " scores");
  out.add("score_sram_energy", sram.read.value, "pJ", estimated,
          std::to_string(baseline.stored_bits) + " bits read; " + sram.read.note);
  std::optional<double> total;
  if (sram.read.value) total = idle + read + scores * *sram.read.value * 1e-6;
  out.add("read_energy", total, "uJ", estimated,
          total ? std::to_string(counts.macros) +
                      " units: idle and read energy of the logic, "
                      "and reads of the SRAM"
                : "SRAM reads: " + sram.read.note);
  out.add("logic_energy", idle + read, "uJ", estimated, "that, without the SRAM");
  out.ratio("score_logic_ratio", "score_logic_energy", "token_score_logic_energy", "pJ");
  out.ratio("read_energy_ratio", "read_energy", "token_read_energy", "uJ");
}

}  // namespace

void add_token_baselines(const files::Config& config, const DecodingStep* step,
                         const std::string& why, Lines* lines) {
  for (const BaselineNames& names : kBaselineNames) add_baseline(config, step, names, why, lines);
}

}  // namespace axelram::report
