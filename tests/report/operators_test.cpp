#include "axelram/report/operators.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "axelram/report/report.hpp"
#include "check.hpp"
#include "needs.hpp"
#include "netlist_kinds.hpp"
#include "sim/planted.hpp"

namespace axelram::report {
namespace {

using Lines = std::vector<Line>;

Lines counted(const files::Config& config, const std::vector<rtl::GeneratedFile>& generated) {
  const Netlist netlist = Elaboration(generated, config.name).netlist();
  Lines lines = report(config, {});
  add_netlist(config, &netlist, &lines);
  return lines;
}

/// Lines of the netlist by name.
std::map<std::string, std::uint64_t> values_of(const Lines& lines) {
  std::map<std::string, std::uint64_t> values;
  for (const Line& line : lines)
    if (line.method == Method::measured && line.name.find("_in_netlist") != std::string::npos)
      values[line.name] = std::get<std::uint64_t>(line.value);
  return values;
}

void check_agrees(const std::string& name, const Lines& lines) {
  CASE(name);
  for (const std::string& difference : disagreements(lines)) {
    CASE(difference);
    FAIL_CHECK(difference);
  }
  for (const Line& line : lines) {
    CASE(line.name);
    const auto at = line.name.find("_in_hardware");
    if (at == std::string::npos) continue;
    const std::string beside = line.name.substr(0, at) + "_in_netlist";
    CHECK(std::any_of(lines.begin(), lines.end(), [&](const Line& other) {
      return other.name == beside && other.method == Method::measured && other.value == line.value;
    }));
  }
  CHECK(values_of(lines)["unattributed_in_netlist"] == 0);
}

/// A fault in the RTL, and what the comparison says of it: the beginnings of its sentences.
struct NetlistFault {
  Mutant fault;
  std::vector<std::string> sentences;
};

// Most of them compute the same values, so that no comparison with golden finds them.
const std::vector<NetlistFault>& netlist_faults() {
  static const std::vector<NetlistFault> all = {
      {{"a squarer removed", "axelram_square_sum", "i < Lanes; i++", "i < Lanes - 1; i++"},
       {"squarers_in_netlist is 3, squarers_in_hardware is 4: 3 $mul of axelram_square_sum"}},
      {{"a table multiplier doubled", "axelram_score_table",
        "EntryBits'(element) * EntryBits'(word);",
        "(EntryBits'(element) * EntryBits'(word)) & (EntryBits'(word) * EntryBits'(element));"},
       {"table_multipliers_in_netlist is 8, table_multipliers_in_hardware is 4: 8 $mul of "
        "axelram_score_table"}},
      {{"adder trees cut short", "axelram_adder_tree", "sum_q <= a + b;",
        "sum_q <= (l == Levels - 1) ? (Bits + 1)'(a) : a + b;"},
       {"square_sum_adders_in_netlist is 2, square_sum_adders_in_hardware is 4: 1 $add of "
        "axelram_adder_tree",
        "adders_in_netlist is 3, adders_in_hardware is 7: 3 $add of axelram_adder_tree"}},
      {{"a multiplier in the butterflies of a stage", "axelram_hadamard", "sum_q <= own + other;",
        "sum_q <= own + other * $signed({1'b0, enable});"},
       {"unattributed_in_netlist is 4: 2 $mul of axelram_hadamard ("}},
      {{"a comparator less for each element", "axelram_quantizer",
        "for (int j = 0; j < Boundaries; j++)\n      index",
        "for (int j = 1; j < Boundaries; j++)\n      index"},
       {"comparators_in_netlist is 24, comparators_in_hardware is 28: 24 $gt of axelram_quantizer",
        "index_adders_in_netlist is 20, index_adders_in_hardware is 24"}},
      {{"aligners that cut off", "axelram_align", "magnitude = magnitude + 1'b1;",
        "magnitude = magnitude;"},
       {"aligners_in_netlist is 0, aligners_in_hardware is 4: difference: 4 $sub of "
        "axelram_align"}},
      {{"a division in place of the norm's product", "axelram_score", "* ScaledBits'(sigma_q)",
        "/ ScaledBits'(sigma_q)"},
       {"norm_multipliers_in_netlist is 0, norm_multipliers_in_hardware is 1: 0 $mul of "
        "axelram_score",
        "unattributed_in_netlist is 1: 1 $div of axelram_score ("}},
      {{"a row more in the delay", "axelram_row_delay", ".Depth(Depth - 1)", ".Depth(Depth)"},
       {"row_delay_bits_in_netlist is "}},
      {{"a memory that no line has", "axelram_record_input", "assign record_o = record_q;",
        "logic [RecordBits-1:0] spare_q[4];\n"
        "  always_ff @(posedge clk_i) spare_q[keys_q[1:0]] <= record_q;\n"
        "  assign record_o = spare_q[keys_q[1:0]];"},
       {"unattributed_in_netlist is 1: 1 memory spare_q of axelram_record_input"}},
      {{"a square that adds to a position", "axelram_control", "in_flight_q + 8'",
        "in_flight_q * 8'"},
       {"unattributed_in_netlist is 1: 1 $mul of axelram_control ("}},
  };
  return all;
}

/// Faults in a table of latches.
const std::vector<NetlistFault>& latch_faults() {
  static const std::vector<NetlistFault> all = {
      {{"a latch less in each step", "axelram_latch_array",
        "always_latch if (open) entry_q = data_i;",
        "always_latch if (open) entry_q[WriteWords*Bits-1:1] = data_i[WriteWords*Bits-1:1];\n"
        "    assign entry_q[0] = data_i[0];"},
       {"table_bits_in_netlist is 4032, table_bits is 4096: axelram_latch_array"}},
      {{"flip-flops in place of latches", "axelram_latch_array",
        "always_latch if (open) entry_q = data_i;", "always_ff @(posedge open) entry_q <= data_i;"},
       {"table_bits_in_netlist is 0, table_bits is 4096: none"}},
      {{"an enable without a latch", "axelram_clock_gate",
        "always_latch if (!clk_i) enable_q = en_i;", "assign enable_q = en_i;"},
       {"table_enable_bits_in_netlist is 0, table_enable_bits is 64: none"}},
      {{"entries without a gate", "axelram_latch_array",
        "axelram_clock_gate u_gate (\n        .clk_i,\n        .en_i (write_i[s]),\n"
        "        .clk_o(open)\n    );",
        "assign open = write_i[s];"},
       {"table_clock_gates_in_netlist is 0, table_clock_gates_in_hardware is 64: 0 module of "
        "axelram_clock_gate",
        "table_enable_bits_in_netlist is 0, table_enable_bits is 64: none"}},
      {{"a latch that no line has", "axelram_score_table",
        "assign last_part = part_q == PartBits'(Parts - 1);",
        "always_latch if (!clk_i) last_part = part_q == PartBits'(Parts - 1);"},
       {"unattributed_in_netlist is 1: 1 latch last_part of axelram_score_table"}},
  };
  return all;
}

/// Each fault changes the lines that its sentences begin with, and no other.
void check_named(const files::Config& config, const std::vector<NetlistFault>& faults) {
  for (const auto& [fault, sentences] : faults) {
    CASE(fault.name);
    const auto generated = sim::planted(config, fault, rtl::generate(config));
    const std::vector<std::string> differences = disagreements(counted(config, generated));
    CHECK(differences.size() == sentences.size());
    for (const std::string& sentence : sentences)
      CHECK_MESSAGE(std::any_of(differences.begin(), differences.end(),
                                [&](const std::string& difference) {
                                  return difference.rfind(sentence, 0) == 0;
                                }),
                    sentence, doctest::toString(differences.empty() ? "" : differences.front()));
  }
}

}  // namespace

TEST_CASE("without a netlist its lines are n/a, with the reason") {
  const Lines lines = report(netlist_config("{}"), {});
  int missing = 0;
  for (const Line& line : lines)
    if (line.name.find("_in_netlist") != std::string::npos) {
      CASE(line.name);
      CHECK(line.method == Method::not_available);
      CHECK(line.note == "--netlist or --synthesize counts them");
      ++missing;
    }
  CHECK(missing > 40);
  CHECK(disagreements(lines).empty());
}

TEST_CASE("operators without a line, modules without contents and unknown cells are named") {
  Netlist netlist;
  netlist.top = "top";
  netlist.modules["top"] = {"top", {}, {}, {}, {{"u_center", "a"}, {"u_box", "b"}}};
  NetlistCell subtractor, power;
  subtractor.type = "$sub";
  power.type = "$pow";
  power.source = "axelram_center.sv:1.1";
  subtractor.arithmetic = power.arithmetic = true;
  netlist.modules["a"] = {"axelram_center", {subtractor, power}, {}, {}, {}};
  Lines lines = report(netlist_config("{}"), {});
  add_netlist(netlist_config("{}"), &netlist, &lines);
  std::string last = disagreements(lines).back();
  CASE(last);
  CHECK(last.rfind("unattributed_in_netlist is 3: ", 0) == 0);
  for (const char* part :
       {"1 $pow of axelram_center (0 and 0 bits to 0, axelram_center.sv:1.1)",
        "1 module b, which has no contents",
        "1 $sub of axelram_center, without a line center_subtractors_in_hardware"})
    CHECK_MESSAGE(last.find(part) != std::string::npos, part);
}

TEST_CASE("the netlist of each kind of macro has the operators of the closed forms" *
          test::needs_yosys) {
  std::map<std::string, std::map<std::string, std::uint64_t>> seen;
  const std::vector<NetlistKind> kinds = folded_kinds();
  for (const NetlistKind& kind : kinds) {
    CASE(kind.name);
    const Lines lines = counted(kind.config, rtl::generate(kind.config));
    check_agrees(kind.name, lines);
    for (const auto& [name, value] : values_of(lines)) seen[name][kind.name] = value;
  }
  CHECK(seen.size() > 100);
  for (const auto& [name, values] : seen) {
    CASE(name);
    if (name == "unattributed_in_netlist" || name == "order_multiplexers_in_netlist")
      continue;  // 0 everywhere
    std::set<std::uint64_t> different;
    for (const NetlistKind& kind : kinds)
      different.insert(values.count(kind.name) == 0 ? 0 : values.at(kind.name));
    CHECK_MESSAGE(different.size() > 1, "the same in every kind");
  }
}

TEST_CASE("netlists with a lane for each element" * test::needs_yosys) {
  for (const NetlistKind& kind : parallel_kinds()) {
    CASE(kind.name);
    check_agrees(kind.name, counted(kind.config, rtl::generate(kind.config)));
  }
}

TEST_CASE("the netlist of the paper's macro has no multiplier in butterflies and comparators" *
          test::needs_yosys) {
  const files::Config config = netlist_config("{}");
  const Netlist netlist = Elaboration(rtl::generate(config), config.name).netlist();
  std::map<std::string, int> cells;  // by type and module
  for (const auto& [key, module] : netlist.modules)
    for (const NetlistCell& cell : module.cells)
      if (cell.arithmetic) ++cells[cell.type + " " + module.name];
  CHECK(cells["$add axelram_hadamard"] == 448);
  CHECK(cells["$sub axelram_hadamard"] == 448);
  CHECK(cells["$gt axelram_quantizer"] == 896);
  CHECK(cells["$mul axelram_hadamard"] == 0);
  CHECK(cells["$mul axelram_quantizer"] == 0);
  Lines lines = report(config, {});
  add_netlist(config, &netlist, &lines);
  check_agrees("paper", lines);
  std::map<std::string, std::uint64_t> values = values_of(lines);
  CHECK(values["squarers_in_netlist"] == 128);
  CHECK(values["threshold_multipliers_in_netlist"] == 14);
  CHECK(values["table_multipliers_in_netlist"] == 8);
  CHECK(values["norm_multipliers_in_netlist"] == 1);
  CHECK(values["multipliers_in_netlist"] == 151);
  CHECK(values["adders_in_netlist"] == 127);
  CHECK(values["table_memories_in_netlist"] == 128);
  CHECK(values["index_adders_in_netlist"] == 768);
}

TEST_CASE("faults planted in the operators are named" * test::needs_yosys) {
  check_named(folded_kinds().front().config, netlist_faults());
}

TEST_CASE("faults planted in a table of latches are named" * test::needs_yosys) {
  const std::string lanes = "key_lanes: 4, read_lanes: 8, table_multipliers: 4";
  check_named(netlist_kind("", "", lanes + ", table_storage: latches", "").config, latch_faults());
}

/// Lines of a small netlist, without _in_netlist.
std::map<std::string, std::uint64_t> lines_with(const std::string& macro, const std::string& lanes,
                                                const std::string& rest) {
  const files::Config config = netlist_config("macro: {head_dim: 32" + macro +
                                              "}\nmicroarchitecture: {" + lanes + "}\n" + rest);
  std::map<std::string, std::uint64_t> lines;
  for (const auto& [name, value] : values_of(counted(config, rtl::generate(config))))
    lines[name.substr(0, name.size() - std::string("_in_netlist").size())] = value;
  return lines;
}

TEST_CASE("lines of the netlist change with the keys that they depend on, and with no other" *
          test::needs_yosys) {
  const std::string few = ", max_keys: 24";
  const std::string lanes = "key_lanes: 4, read_lanes: 8, table_multipliers: 4";
  const auto before = lines_with(few, lanes, "");
  struct Change {
    std::string macro, lanes, rest, lines;
  };
  const std::vector<Change> changes = {
      {few + ", index_bits: 2", lanes, "",
       "comparators index_adders key_store_bits key_store_output_bits multipliers "
       "record_input_bits record_register_bits table_bits threshold_adders threshold_multipliers"},
      {few, "key_lanes: 8, read_lanes: 8, table_multipliers: 4", "",
       "aligners butterflies comparators exponent_comparators hadamard_delay_bits "
       "hadamard_pipeline_bits index_adders memories multipliers query_rounders record_input_bits "
       "row_delay_bits sign_negators square_sum_adders squarers"},
      {few, "key_lanes: 4, read_lanes: 4, table_multipliers: 4", "",
       "adders memories score_fifo_bits table_memories"},
      {few, "key_lanes: 4, read_lanes: 8, table_multipliers: 8", "",
       "multipliers table_multipliers"},
      {", max_keys: 48", lanes, "", "key_store_bits"},
      {few, lanes, "numerics: {query_bits: 10}", "query_buffer_bits table_bits"},
      {few, lanes, "numerics: {centroid_bits: 10}", "table_bits"},
      {few, lanes, "numerics: {significand_bits: 12}",
       "hadamard_delay_bits hadamard_pipeline_bits row_delay_bits square_root_bits "
       "square_root_stages"}};
  // Lines of everything, and of cells that control the macro.
  const std::set<std::string> sums = {"flip_flops",        "other_flip_flops",   "memory_bits",
                                      "other_memory_bits", "constant_additions", "index_arithmetic",
                                      "part_selects"};
  for (const auto& [macro, of_lanes, rest, lines] : changes) {
    CASE(macro + " " + of_lanes + " " + rest);
    std::string changed;
    for (const auto& [name, value] : lines_with(macro, of_lanes, rest))
      if ((before.count(name) == 0 || before.at(name) != value) && sums.count(name) == 0)
        changed += (changed.empty() ? "" : " ") + name;
    CHECK(changed == lines);
  }
}

}  // namespace axelram::report
