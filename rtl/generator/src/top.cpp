#include <algorithm>
#include <set>
#include <sstream>

#include "axelram/attention_output.hpp"
#include "axelram/logit.hpp"
#include "generator_internal.hpp"
#include "lists.hpp"
#include "ports.hpp"

namespace axelram::rtl {
namespace {

struct Constant {
  const char* name;
  int value;
  const char* meaning;
  const char* type = "int";
};

/// Parameters of axelram_attention_macro that axelram_macro has not.
std::vector<Constant> attention_parameters(const Design& design) {
  const files::Config& config = design.config;
  const AttentionParameters& a = config.attention.parameters;
  const BinaryScale scale = softmax_scale(design.rom.score_scale, a.scale);
  const BinaryScale values = value_scale(design.rom.score_scale);
  const bool half = a.output == OutputFormat::fp16;
  return {
      {"OutputLanes", config.attention.output_lanes, "outputs a cycle"},
      {"Group", a.group, "G"},
      {"Segments", config.store.segments, "of the store"},
      {"Rotations", config.store.rotations, "rows of signs and centers"},
      {"RotationRam", design.layout.rotation_ram ? 1 : 0, "1: they are loaded", "bit"},
      {"WeightBits", a.weight_bits, "FW"},
      {"OutExpBits", half ? 5 : 8, "exponent field of the outputs"},
      {"OutFracBits", half ? 10 : 23, "fraction field of the outputs"},
      {"Scale", static_cast<int>(scale.significand), "of the softmax, after a reset", "bit [15:0]"},
      {"ScaleExponent", scale.exponent, "its exponent"},
      {"ValueScale", static_cast<int>(values.significand), "K", "bit [23:0]"},
      {"ValueExponent", values.exponent, "e_K"}};
}

std::vector<Constant> macro_parameters(const Design& design) {
  const Parameters& p = design.config.parameters;
  const files::Microarchitecture& m = design.config.microarchitecture;
  std::vector<Constant> all = {
      {"HeadDim", p.head_dim, "d"},
      {"KeyLanes", m.key_lanes, "elements of a vector a cycle"},
      {"ReadLanes", m.read_lanes, "table lookups a cycle"},
      {"MaxKeys", design.config.max_keys, "records in the key store"},
      {"IndexBits", part_parameters(p, 0).codebook_bits(),
       p.split()  ? "h, of sub-vector 0"
       : p.prod() ? "b - 1"
                  : "b"},
      {"SigBits", p.significand_bits, "W"},
      {"FractionBits", p.boundary_fraction_bits, "F"},
      {"QueryBits", p.query_bits, "WQ"},
      {"CentroidBits", p.centroid_bits, "WC"},
      {"ExpBits", p.format_exponent_bits(), "exponent field of the elements"},
      {"States", p.trellis() ? p.states : 0, "of the trellis; 0: none"},
      {"Unbiased", p.scale == ScaleKind::unbiased ? 1 : 0, "1: norms of axelram_scale", "bit"}};
  const bool attends = design.config.attention.given;
  all.insert(all.end(), {{"ExactFirst", p.exact_first, "first tokens with copies"},
                         {"ExactLast", p.exact_last, "newest tokens with copies"},
                         {"CopyBits", p.exact_bits, "X"}});
  if (p.balanced)
    all.push_back({"Balance", 1, "1: exponents of channels, above the signs of signs_i", "bit"});
  all.push_back({"Center", p.centered ? 1 : 0, "1: a center is subtracted from every key", "bit"});
  if (!attends)
    all.push_back(
        {"CenterExponent", design.layout.center_exponents.front(), "its largest exponent field"});
  // Behind ReadLanes.
  if (m.score_lane != files::ScoreLane::multiplier)
    all.insert(all.begin() + 3, {"Multipliers", m.table_multipliers, "table entries a cycle"});
  if (files::latch_table(design.config))
    all.insert(all.begin() + 4, {"Latches", 1, "1: the score table is made of latches", "bit"});
  if (m.score_lane != files::ScoreLane::table)
    all.insert(all.begin() + 3, {"ScoreLane", static_cast<int>(m.score_lane), "axelram_lookup"});
  if (m.clock_gating == files::ClockGating::write_path)
    all.push_back(
        {"ClockGating", 1, "1: the write path has a clock while something moves in it", "bit"});
  if (p.split()) all.push_back({"SplitBits", p.split_low, "l, of sub-vector 1"});
  if (p.prod()) all.push_back({"Residual", 1, "1: signs and norms of residuals", "bit"});
  if (design.layout.code) {
    all.push_back({"CodeN", design.layout.code->n, "bits of a codeword"});
    all.push_back({"CodeK", design.layout.code->k, "data bits of a codeword"});
    all.push_back({"Decoder", decoder_of(*design.layout.code, design.config.ecc.decoder).number,
                   "axelram_word_decoder"});
    all.push_back({"ParityBit", design.layout.code->parity_bit,
                   "check bit that is an overall parity; -1: none"});
    all.push_back({"CodeStages", design.layout.code_stages, "registers of encoder and decoder"});
    all.push_back({"ScrubInterval", design.config.ecc.scrub_interval, "cycles; 0: no scrubber"});
    const auto erasure = static_cast<int>(files::protection(design.config.ecc).erasure);
    all.push_back({"Erasure", erasure, "at reset: 0 keep, 1 zero, 2 interpolate"});
  }
  if (attends) {
    const std::vector<Constant> more = attention_parameters(design);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// Ports of the macro that the top does not have.
std::vector<Port> open_ports(const Design& design) {
  std::vector<Port> open = code_ports(design.layout);
  if (design.config.attention.given)
    for (const Port& port : rotation_ports(design.config)) open.push_back(port);
  std::set<std::string> connected;
  for (const Port& port : ports(design.config, design.layout)) connected.insert(port.name);
  std::erase_if(open, [&](const Port& port) { return connected.count(port.name) != 0; });
  return open;
}

/// Lays exponents above signs, as the macro takes them: its ports NAMEsigns_i have both.
void join_balance(std::vector<Connection>* connections) {
  const auto named = [&](const std::string& port) {
    return std::find_if(connections->begin(), connections->end(),
                        [&](const Connection& c) { return c.name == port; });
  };
  for (const std::string kind : {"", "rotation_"}) {
    const auto balance = named(kind + "balance_i"), signs = named(kind + "signs_i");
    if (balance == connections->end()) continue;
    const auto net = [](const Connection& c) { return c.value.empty() ? c.name : c.value; };
    signs->value = "{" + net(*balance) + ", " + net(*signs) + "}";
    connections->erase(balance);
  }
}

/// Wires for open outputs.
std::string unused_wires(const Design& design) {
  std::string text;
  for (const Port& port : open_ports(design))
    if (!port.input)
      text += "  logic [" + std::to_string(port.width - 1) + ":0] unused_" + port.name + ";\n";
  return text;
}

/// An instance of a module of covers: input NAME_i is port NAME_i or NAME_o of the top.
std::string covers_instance(const std::string& module, const std::vector<Connection>& parameters,
                            const std::vector<Port>& top, const std::set<std::string>& inputs) {
  std::vector<Connection> connections;
  for (const Port& port : top) {
    const std::string input = port.name.substr(0, port.name.size() - 1) + "i";
    if (inputs.count(input) != 0) connections.push_back({input, port.name});
  }
  return instance_text("axelram_" + module, "u_" + module, parameters, connections);
}

/// Covers for the corners that show at the ports.
std::string covers_text(const Design& design, const std::vector<Port>& top) {
  const Layout& layout = design.layout;
  const std::string package = design.prefix + "_pkg::";
  std::vector<Connection> parameters;
  for (const char* name : {"HeadDim", "KeyLanes", "MaxKeys", "ExpBits"})
    parameters.push_back({name, package + name});
  std::string text =
      covers_instance("covers", parameters, top,
                      {"clk_i", "rst_ni", "vector_valid_i", "vector_ready_i", "vector_query_i",
                       "vector_data_i", "score_valid_i", "score_ready_i", "score_last_i",
                       "key_count_i", "obs_ready_i", "obs_state_i", "obs_record_rejected_i"});
  if (layout.code)
    text += covers_instance(
        "code_covers",
        {{"Words", std::to_string(layout.code_words)},
         {"Spacing", std::to_string(layout.read_rows)},
         {"AddressBits", std::to_string(layout.address_bits)}},
        top,
        {"clk_i", "rst_ni", "clear_valid_i", "clear_ready_i", "obs_record_valid_i", "obs_read_i",
         "obs_memory_read_i", "obs_memory_address_i", "obs_decoded_valid_i", "obs_decoded_scrub_i",
         "obs_status_i", "obs_write_back_i"});
  return "\n`ifdef AXELRAM_COVERS\n" + text + "`endif\n";
}

}  // namespace

std::string package_text(const Design& design) {
  std::ostringstream text;
  text << "/// Parameters of this macro.\npackage " << design.prefix << "_pkg;\n";
  for (const Constant& constant : macro_parameters(design)) {
    const std::string type = constant.type;
    text << "  localparam " << type << " " << constant.name << " = " << (type == "bit" ? "1'b" : "")
         << constant.value << ";  // " << constant.meaning << "\n";
  }
  const Parameters& p = design.config.parameters;
  if (p.prod())
    text << "  localparam bit [31:0] ResidualScale = 32'd" << design.rom.residual_scale
         << ";  // Z\n";
  if (p.split())
    text << "  // Channels in the order of the rows of a key.\n"
            "  localparam bit [HeadDim*8-1:0] Order = "
         << order_text(design) << ";\n";
  if (design.config.attention.given) {
    const std::vector<int>& exponents = design.layout.center_exponents;
    text << "  // Largest exponent fields of the rotations' centers, row 0 lowest.\n"
            "  localparam bit [Rotations*8-1:0] CenterExponents = "
         << concatenation({exponents.begin(), exponents.end()}, 8) << ";\n";
  }
  int levels = 0;
  for (int j = 0; j < design.layout.parts; ++j) levels += part_parameters(p, j).levels();
  text << "  localparam int Levels = " << levels
       << (p.split()     ? ";  // of both sub-vectors\n"
           : p.trellis() ? ";  // 2^(b+1)\n"
           : p.prod()    ? ";  // 2^(b-1)\n"
                         : ";  // 2^b\n")
       << "  localparam int Boundaries = " << design.layout.scaled_words
       << (p.split()     ? ";  // of both sub-vectors; of a trellis the upper half of the levels\n"
           : p.trellis() ? ";  // 2^b: words of the upper half of the levels\n"
           : p.prod()    ? ";  // 2^(b-1) - 1\n"
                         : ";  // 2^b - 1\n");
  for (const RomOutput& output : rom_outputs(design))
    text << "  localparam int " << output.width << " = " << output.value << ";  // of "
         << (output.rom == "balance" ? "signs_i, above the signs" : output.name + "_i") << "\n";
  if (design.layout.code) text << parity_text(*design.layout.code, "CodeK*(CodeN-CodeK)");
  text << "endpackage\n";
  return systemverilog(text.str());
}

std::string top_text(const Design& design) {
  const std::vector<Port> function = ports(design.config, design.layout);
  const std::vector<Port> shown =
      design.observe ? observation_ports(design.config, design.layout) : std::vector<Port>{};
  const std::vector<Port> all =
      design.observe ? observed_top_ports(design.config, design.layout) : function;
  std::vector<Declaration> declared;
  for (const Port& port : all)
    declared.push_back({port.input, port.width == 1 ? "" : std::to_string(port.width - 1) + ":0",
                        port.name, port.meaning, port.is_signed});

  const std::string name = design.prefix, package = design.prefix + "_pkg::";
  std::ostringstream text;
  const bool attends = design.config.attention.given;
  const char* const macro = attends ? "axelram_attention_macro" : "axelram_macro";
  text << "/// The macro with its ROMs. Streams, cycles and units: " << macro << ".\n"
       << header_text(name + "_top", declared);
  std::vector<Connection> constants;
  for (const RomOutput& output : rom_outputs(design)) {
    text << "  logic [" << bounds(design, output) << "] " << output.name << ";\n";
    constants.push_back({output.name + "_i", output.name});
  }
  text << unused_wires(design) << "\n";
  for (const char* rom : {"sign", "codebook", "center", "balance"}) {
    std::vector<Connection> outputs;
    for (const RomOutput& output : rom_outputs(design))
      if (output.rom == rom) outputs.push_back({output.name + "_o", output.name});
    if (outputs.empty()) continue;
    text << instance_text(name + "_" + rom + "_rom", std::string("u_") + rom + "_rom", {}, outputs);
  }

  std::vector<Connection> parameters;
  const auto add = [&](const char* parameter) {
    parameters.push_back({parameter, package + parameter});
  };
  for (const Constant& parameter : macro_parameters(design)) add(parameter.name);
  if (design.config.parameters.prod()) add("ResidualScale");
  if (design.config.parameters.split()) add("Order");
  if (design.layout.code) add("Parity");
  if (attends) add("CenterExponents");
  std::vector<Connection> connections = constants;
  for (const Port& port : open_ports(design))
    connections.push_back({port.name, port.input ? "{" + std::to_string(port.width) + "{1'b0}}"
                                                 : "unused_" + port.name});
  for (const Port& port : function) connections.push_back({port.name});
  join_balance(&connections);
  text << "\n" << instance_text(macro, "u_macro", parameters, connections);
  if (!shown.empty()) text << "\n  // Observation: nets below, which nothing else depends on.\n";
  for (const Port& port : shown) text << "  assign " << port.name << " = " << port.source << ";\n";
  if (!shown.empty() && !attends) text << covers_text(design, all);
  text << "endmodule\n";
  return systemverilog(text.str());
}

}  // namespace axelram::rtl
