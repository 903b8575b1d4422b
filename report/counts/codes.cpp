#include "counts/codes.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "axelram/files/errors.hpp"
#include "axelram/files/scratch_folder.hpp"
#include "axelram/rtl/code_unit.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/sim/tools.hpp"
#include "netlist/yosys.hpp"

namespace axelram::report {
namespace {

/// Gates and depth of a module of generated files in `folder`, from the output of Yosys.
std::pair<int, int> gates_of(const std::vector<rtl::GeneratedFile>& generated,
                             const std::string& folder, const std::string& module) {
  const std::string cells = "Number of cells:", path = "length=";
  int gates = -1, depth = -1;
  YosysRun run = {.folder = folder, .script = {}, .subject = module};
  run.script = read_sources(generated, "") + "; hierarchy -check -top " + module +
               "; proc; flatten; memory_map; opt; techmap; opt; abc -g AND,NAND,OR,NOR,XOR,XNOR;"
               " opt_clean; stat; ltp -noff";
  run.line = [&](const std::string& line) {
    if (const auto at = line.find(cells); at != std::string::npos)
      gates = std::atoi(line.c_str() + at + cells.size());
    if (const auto at = line.find(path); at != std::string::npos)
      depth = std::atoi(line.c_str() + at + path.size());
  };
  run_yosys(run);
  if (gates < 0 || depth < 0)
    throw files::EnvironmentError(sim::tool_version(sim::kYosys) + " printed no gates of " +
                                  module);
  return {gates, depth};
}

/// Units that repair erasures by interpolation.
void add_interpolation(const files::Config& config, Lines* lines) {
  const int norms = interpolated_norms(config);
  Section section(lines, "interpolation in the hardware");
  section.count("index_interpolation_adders_in_hardware", 2 * config.parameters.head_dim, "adders",
                "2 * d: the sum of two indices, and its half rounded");
  section.count("norm_interpolation_shifters_in_hardware", 2 * norms, "shifters",
                "norms of both neighbours as integers");
  section.count("norm_interpolation_adders_in_hardware", norms, "adders", "one for each norm");
}

std::uint64_t bits(int value) { return static_cast<std::uint64_t>(value); }

std::string words_text(const rtl::Layout& layout) {
  return std::to_string(layout.code_words) + " words per key";
}

/// The macro with a code, in use or not.
files::Config with_code(files::Config config, const std::string& name,
                        files::GolayDecoder decoder) {
  config.ecc.code = name;
  config.ecc.decoder = decoder;
  return config;
}

/// Cost of a code in this macro.
void add_code(const files::Config& config, const std::string& name, files::GolayDecoder decoder,
              bool synthesize, Lines* lines) {
  const bool algebraic = decoder == files::GolayDecoder::algebraic;
  const std::string prefix = name + (algebraic ? "" : "_" + name_of(decoder)) + "_";
  Section section(lines, "cost of a code: " + name + (algebraic ? "" : ", ROM decoder") +
                             (config.ecc.code == name ? " (of this configuration)" : ""));
  const files::Config coded = with_code(config, name, decoder);
  add_code_counts(coded, prefix, &section);
  if (synthesize) {
    add_code_gates(coded, prefix, &section);
    return;
  }
  section.missing(prefix + "encoder_gates", "gates", "--synthesize measures them");
  section.missing(prefix + "decoder_gates", "gates", "--synthesize measures them");
}

}  // namespace

CodeCost measure_code_cost(const std::string& code, const std::string& decoder) {
  const files::ScratchFolder scratch;
  const std::vector<rtl::GeneratedFile> unit = rtl::generate_code_unit({code, decoder, 0});
  rtl::write_generated(unit, scratch.path(), true);
  const auto [encoder_gates, encoder_depth] =
      gates_of(unit, scratch.path(), "axelram_code_encoder");
  const auto [decoder_gates, decoder_depth] =
      gates_of(unit, scratch.path(), "axelram_code_decoder");
  return {encoder_gates, encoder_depth, decoder_gates, decoder_depth};
}

int interpolated_norms(const files::Config& config) {
  if (config.ecc.code == "none") return 0;
  return config.parameters.prod() || config.parameters.split() ? 2 : 1;
}

void add_code_counts(const files::Config& config, const std::string& prefix, Section* section) {
  files::Config plain = config;
  plain.ecc.code = "none";
  const rtl::Layout with(config), without(plain);
  const int record_bits = config.parameters.record_bits();
  section->count(prefix + "stored_bits", with.stored_bits, "bits",
                 words_text(with) + ", " + std::to_string(with.code->n) +
                     " bits each; the record has " + std::to_string(record_bits));
  section->figure(prefix + "overhead", 100.0 * (with.stored_bits - record_bits) / record_bits, "%",
                  Method::counted, "of the memory, with padding of the last word");
  section->count(prefix + "key_store_latency_cycles", with.store_cycles - without.store_cycles,
                 "cycles", "encoder: ecc.stages");
  section->count(prefix + "score_latency_cycles", with.read_latency - without.read_latency,
                 "cycles", "decoder (ecc.stages), register, interpolation (d / read_lanes + 5)");
  section->count(prefix + "reset_cycles", with.reset_cycles, "cycles",
                 "initialisation of the memory after reset: max_keys");
}

void add_code_gates(const files::Config& config, const std::string& prefix, Section* section) {
  const rtl::Layout layout(config);
  const CodeCost cost = measure_code_cost(config.ecc.code, name_of(config.ecc.decoder));
  const auto gates = [&](const std::string& unit, int gates_of_word, int depth) {
    section->figure(
        prefix + unit + "_gates", gates_of_word * layout.code_words, "gates", Method::measured,
        words_text(layout) + ", " + std::to_string(gates_of_word) + " two-input gates each, " +
            std::to_string(depth) + " on the longest path (Yosys, no cell library)");
  };
  gates("encoder", cost.encoder_gates, cost.encoder_depth);
  gates("decoder", cost.decoder_gates, cost.decoder_depth);
}

void add_codes(const files::Config& config, bool synthesize, Lines* lines) {
  std::vector<std::string> names;
  for (const CodeFamily& family : code_families())
    names.insert(names.end(), family.examples.begin(), family.examples.end());
  const std::string& own = config.ecc.code;
  if (own != "none" && std::find(names.begin(), names.end(), own) == names.end())
    names.push_back(own);
  for (const std::string& name : names)
    add_code(config, name, files::GolayDecoder::algebraic, synthesize, lines);
  if (config.ecc.decoder != files::GolayDecoder::algebraic)
    add_code(config, "golay24", config.ecc.decoder, synthesize, lines);
  add_code_storage(config, lines);
}

void add_code_storage(const files::Config& config, Lines* lines) {
  const rtl::Layout layout(config);
  if (!layout.code) return;
  const std::uint64_t stored = bits(layout.stored_bits), words = bits(layout.code_words);
  const std::uint64_t record = bits(config.parameters.record_bits());
  const auto norms = bits(interpolated_norms(config));
  add_interpolation(config, lines);
  Section section(lines, "storage of the protected key store");
  section.count("injection_register_bits", 2 * stored + 2, "bits",
                "flip-flops: XOR masks of writes and of reads, and mode");
  section.count("decoded_register_bits", stored + 2 * words, "bits",
                "flip-flops: corrected codewords and their status");
  section.count("interpolation_bits", 3 * (record + words), "bits",
                "flip-flops: tokens t-1, t and t+1 with an erasure flag per word");
  section.count("repaired_record_bits", 3 * record + 2 + 2 * norms, "bits",
                "flip-flops: the repaired record while its norm is rounded, and during its lookup; "
                "flags of the last key and of a rounded norm");
  section.count("code_counter_bits", 4 * 32 + layout.address_bits + 1 + 3 * words, "bits",
                "flip-flops: four counters, key of the first error, status of the words counted");
}

}  // namespace axelram::report
