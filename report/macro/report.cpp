#include "axelram/report/report.hpp"

#include "accuracy/accuracy_lines.hpp"
#include "axelram/report/cells.hpp"
#include "axelram/report/operators.hpp"
#include "counts/codes.hpp"
#include "counts/counts.hpp"
#include "counts/gates.hpp"
#include "macro/attention.hpp"
#include "sram/key_store.hpp"
#include "token/token_lines.hpp"

namespace axelram::report {

std::vector<Line> report(const files::Config& config, const std::optional<files::Trace>& trace,
                         Synthesis synthesis, const MappedDesign* mapped,
                         const DecodingStep* step) {
  if (config.attention.given) return attention_report(config, trace, mapped);
  const bool gates = synthesis == Synthesis::gates;
  std::optional<Elaboration> elaboration;
  if (synthesis != Synthesis::none) elaboration.emplace(rtl::generate(config), config.name);
  std::vector<Line> lines;
  add_operators(config, &lines);
  add_memory(config, &lines);
  add_storage(config, &lines);
  add_key_store(config, &lines);
  add_cells(mapped, &lines);
  add_cycles(config, trace, &lines);
  add_token(config, step, mapped, &lines);
  add_plain(config, &lines);
  add_gates(config, gates ? &*elaboration : nullptr, &lines);
  add_codes(config, gates, &lines);
  std::optional<Netlist> netlist;
  if (elaboration) netlist = elaboration->netlist();
  add_netlist(config, netlist ? &*netlist : nullptr, &lines);
  add_gaussian_accuracy(config, &lines);
  if (trace) add_trace_accuracy(config, *trace, &lines);
  return lines;
}

}  // namespace axelram::report
