#include <algorithm>

#include "accuracy/accuracy_lines.hpp"
#include "axelram/report/operators.hpp"
#include "axelram/report/report.hpp"
#include "axelram/sim/tools.hpp"
#include "counts/codes.hpp"
#include "counts/counts.hpp"
#include "counts/gates.hpp"
#include "sram/key_store.hpp"

namespace axelram::report {
namespace {

constexpr const char* kPrefix = "code_";
constexpr const char* kWithoutYosys =
    "yosys is not installed; 'apt install yosys', and sweep again";

/// Counts of the configuration's own code; without one, those of the record as it is.
void add_own_code(const files::Config& config, Lines* lines) {
  Section section(lines, "cost of the code");
  if (config.ecc.code != "none") {
    add_code_counts(config, kPrefix, &section);
    add_code_storage(config, lines);
    return;
  }
  const std::string prefix = kPrefix, none = "ecc.code is none";
  section.count(prefix + "stored_bits", config.parameters.record_bits(), "bits", none);
  section.figure(prefix + "overhead", 0, "%", Method::counted, none);
  section.count(prefix + "key_store_latency_cycles", 0, "cycles", none);
  section.count(prefix + "score_latency_cycles", 0, "cycles", none);
  section.count(prefix + "reset_cycles", 0, "cycles", none);
}

bool ends_in(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

double sum_of(const Lines& lines, const std::string& ending) {
  double sum = 0;
  for (const Line& line : lines)
    if (ends_in(line.name, ending)) sum += std::get<double>(line.value);
  return sum;
}

void add_unit_gates(const files::Config& config, bool yosys, Lines* lines) {
  constexpr const char* kAll = "of all units that quantizer, scale and exact tokens decide on";
  Lines measured;
  std::optional<Elaboration> elaboration;
  if (yosys) elaboration.emplace(rtl::generate(config), config.name);
  add_gates(config, elaboration ? &*elaboration : nullptr, &measured);
  const double gates = yosys ? sum_of(measured, "_gates") : 0;
  const double flip_flops = yosys ? sum_of(measured, "_flip_flops") : 0;
  Section sums(&measured, "gates of units");
  if (yosys) {
    sums.figure("units_gates", gates, "gates", Method::measured, kAll);
    sums.figure("units_flip_flops", flip_flops, "bits", Method::measured, kAll);
  } else {
    sums.missing("units_gates", "gates", "");
    sums.missing("units_flip_flops", "bits", "");
    for (Line& line : measured) line.note = kWithoutYosys;
  }
  lines->insert(lines->end(), measured.begin(), measured.end());
}

void add_own_code_gates(const files::Config& config, bool yosys, Lines* lines) {
  Section section(lines, "gates of the code");
  if (config.ecc.code != "none" && yosys) {
    add_code_gates(config, kPrefix, &section);
    return;
  }
  for (const char* unit : {"encoder_gates", "decoder_gates"}) {
    const std::string name = std::string(kPrefix) + unit;
    if (config.ecc.code == "none")
      section.figure(name, 0, "gates", Method::counted, "ecc.code is none");
    else
      section.missing(name, "gates", kWithoutYosys);
  }
}

}  // namespace

std::optional<std::string> yosys_version() {
  if (sim::find_tool(sim::kYosys.name).empty()) return std::nullopt;
  return sim::tool_version(sim::kYosys);
}

std::vector<Line> groups(const files::Config& config, const std::optional<files::Trace>& trace,
                         const std::vector<Group>& groups, bool yosys) {
  const auto chosen = [&](Group group) {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  };
  Lines lines;
  if (chosen(Group::operators)) add_operators(config, &lines);
  if (chosen(Group::memory)) {
    add_memory(config, &lines);
    add_storage(config, &lines);
    add_key_store(config, &lines);
  }
  if (chosen(Group::cycles)) add_cycles(config, trace, &lines);
  if (chosen(Group::code)) add_own_code(config, &lines);
  if (chosen(Group::unit_gates)) add_unit_gates(config, yosys, &lines);
  if (chosen(Group::code_gates)) add_own_code_gates(config, yosys, &lines);
  if (chosen(Group::accuracy)) {
    add_gaussian_accuracy(config, &lines);
    if (trace) add_trace_accuracy(config, *trace, &lines);
  }
  return lines;
}

}  // namespace axelram::report
