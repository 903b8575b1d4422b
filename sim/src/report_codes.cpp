#include <algorithm>

#include "axelram/rtl/layout.hpp"
#include "code_cost.hpp"
#include "report_lines.hpp"

namespace axelram::sim {
namespace {

std::uint64_t bits(int value) { return static_cast<std::uint64_t>(value); }

/// What a code adds to this macro, or would add.
void add_code(const files::Config& config, const std::string& name, files::GolayDecoder decoder,
              bool synthesize, Lines* lines) {
  files::Config coded = config;
  coded.ecc.code = name;
  coded.ecc.decoder = decoder;
  files::Config plain = config;
  plain.ecc.code = "none";
  const rtl::Layout with(coded), without(plain);
  const bool algebraic = decoder == files::GolayDecoder::algebraic;
  const std::string prefix = name + (algebraic ? "" : "_" + name_of(decoder)) + "_";
  const std::string words = std::to_string(with.code_words) + " words of a key";
  const int record_bits = config.parameters.record_bits();

  Section section(lines, "what a code adds: " + name + (algebraic ? "" : ", ROM decoder") +
                             (config.ecc.code == name ? " (this configuration's)" : ""));
  section.count(prefix + "stored_bits", with.stored_bits, "bits",
                words + ", " + std::to_string(with.code->n) + " bits each; the record has " +
                    std::to_string(record_bits));
  section.figure(prefix + "overhead", 100.0 * (with.stored_bits - record_bits) / record_bits, "%",
                 Method::counted, "of the memory, padding of the last word included");
  section.count(prefix + "key_store_latency_cycles", with.store_cycles - without.store_cycles,
                "cycles", "encoder: ecc.stages");
  section.count(prefix + "score_latency_cycles", with.read_latency - without.read_latency, "cycles",
                "decoder (ecc.stages), interpolation (d / read_lanes + 3)");
  section.count(prefix + "reset_cycles", with.reset_cycles, "cycles",
                "initialisation of the memory after reset: max_keys");
  if (!synthesize) {
    section.missing(prefix + "encoder_gates", "gates", "--synthesize measures them");
    section.missing(prefix + "decoder_gates", "gates", "--synthesize measures them");
    return;
  }
  const CodeCost cost = measure_code_cost(name, name_of(decoder));
  const auto gates = [&](const std::string& unit, int gates_of_word, int depth) {
    section.figure(prefix + unit + "_gates", gates_of_word * with.code_words, "gates",
                   Method::measured,
                   words + ", " + std::to_string(gates_of_word) + " two-input gates each, " +
                       std::to_string(depth) + " on the longest path (Yosys, no cell library)");
  };
  gates("encoder", cost.encoder_gates, cost.encoder_depth);
  gates("decoder", cost.decoder_gates, cost.decoder_depth);
}

}  // namespace

void add_codes(const files::Config& config, bool synthesize, Lines* lines) {
  std::vector<std::string> names = {"hamming74",   "hamming84",   "golay24",
                                    "hsiao_72_64", "hsiao_39_32", "hsiao_22_16"};
  const std::string& own = config.ecc.code;
  if (own != "none" && std::find(names.begin(), names.end(), own) == names.end())
    names.push_back(own);
  for (const std::string& name : names)
    add_code(config, name, files::GolayDecoder::algebraic, synthesize, lines);
  if (config.ecc.decoder != files::GolayDecoder::algebraic)
    add_code(config, "golay24", config.ecc.decoder, synthesize, lines);

  const rtl::Layout layout(config);
  if (!layout.code) return;
  const std::uint64_t stored = bits(layout.stored_bits), words = bits(layout.code_words);
  const std::uint64_t record = bits(config.parameters.record_bits());
  Section section(lines, "storage of the protected key store");
  section.count("injection_register_bits", stored + 2, "bits", "flip-flops: XOR mask and mode");
  section.count("interpolation_bits", 3 * (record + words), "bits",
                "flip-flops: tokens t-1, t and t+1 with an erasure flag a word");
  section.count(
      "repaired_record_bits", 2 * record, "bits",
      "flip-flops: the repaired record while its norm is rounded, and as it is looked up");
  section.count("code_counter_bits", 4 * 32 + layout.address_bits + 1, "bits",
                "flip-flops: four counters, key of the first error");
}

}  // namespace axelram::sim
