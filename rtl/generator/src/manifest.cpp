#include <nlohmann/json.hpp>

#include "axelram/files/config_keys.hpp"
#include "generator_internal.hpp"
#include "manifest_attention.hpp"

namespace axelram::rtl {
namespace {

using Json = nlohmann::ordered_json;

/// Keys of the sections that shape the hardware, without codes, rotation and source of the SRAM.
Json parameters(const files::Config& config) {
  Json all;
  for (const files::ConfigSetting& setting : files::config_settings(config)) {
    if (setting.section == "rotation" || setting.section == "ecc" || setting.section == "sram")
      continue;
    // The channels themselves are constants. The name stands on top, given or not.
    const bool elsewhere = (setting.section == "split" && setting.key == "channels") ||
                           (setting.section == "macro" && setting.key == "name");
    if (elsewhere) continue;
    const bool prefixed = setting.section == "exact" || setting.section == "split" ||
                          setting.section == "attention" || setting.section == "store";
    const std::string key = (prefixed ? setting.section + "_" : "") + setting.key;
    if (setting.is_integer)
      all[key] = std::stoi(setting.value);
    else
      all[key] = setting.value;
  }
  all["centered"] = config.parameters.centered;
  if (config.parameters.balanced) all["balanced"] = true;
  return all;
}

Json widths(const Design& design) {
  const Parameters& whole = design.config.parameters;
  const Parameters p = part_parameters(whole, 0);
  Json all = {{"element", 16},
              {"aligned", p.aligned_bits()},
              {"rotated", design.layout.network_out_bits},
              {"square_sum", p.square_sum_bits()},
              {"root", p.root_bits()},
              {"boundary", 20},
              {"threshold", 32},
              {"index", p.codebook_bits()},
              {"norm", 16},
              {"record", whole.record_bits()},
              {"query", p.query_bits},
              {"centroid", p.centroid_bits},
              {"table_entry", p.product_bits()},
              {"accumulator", p.accumulator_bits()},
              {"scaled", p.scaled_bits()},
              {"score", 32},
              {"score_fifo_word", 34},
              {"element_exponent", p.format_exponent_bits()},
              {"query_exponent", 12},
              {"root_remainder", p.root_bits() + 2},
              {"key_address", design.layout.address_bits},
              {"key_count", design.layout.count_bits}};
  if (p.trellis()) {
    all["reconstruction_word"] = 20;
    all["reconstruction"] = 32;
    all["level"] = p.index_bits + 1;
    all["branch_cost"] = 24;
    all["path_cost"] = 24 + p.log2_dim();
    all["survivors"] = p.states + 4 * (p.index_bits - 1);
  }
  if (p.prod()) {
    all["reconstruction_word"] = 20;
    all["reconstruction"] = 32;
    all["residual"] = p.aligned_bits();
    all["residual_accumulator"] = p.query_bits + p.log2_dim();
    all["residual_scale"] = 32;
  }
  if (p.scale == ScaleKind::unbiased) {
    all["correlation"] = p.correlation_bits();
    all["quotient"] = Layout::kQuotientBits + 1;
  }
  if (whole.split()) {
    const Parameters second = part_parameters(whole, 1);
    all["channel"] = 8;
    all["second_index"] = second.index_bits;
    all["second_accumulator"] = second.accumulator_bits();
    if (p.trellis()) {
      all["second_level"] = second.index_bits + 1;
      all["second_survivors"] = second.states + 4 * (second.index_bits - 1);
    }
  }
  if (p.balanced) {
    all["balance_exponent"] = 4;
    all["vector_exponent"] = design.layout.exponent_bits;
  }
  if (p.copies() != 0) {
    all["copy_element"] = p.exact_bits;
    all["copy_exponent"] = 12;
    all["copy_accumulator"] = p.copy_accumulator_bits();
  }
  if (design.layout.code) {
    all["codeword"] = design.layout.code->n;
    all["stored_record"] = design.layout.stored_bits;
  }
  if (design.config.attention.given) add_attention_widths(design, &all);
  return all;
}

Json latencies(const Design& design) {
  const Layout& l = design.layout;
  Json all = {{"align", l.align_latency},
              {"center", design.config.parameters.centered ? 1 : 0},
              {"sign_flip", 1},
              {"hadamard", l.hadamard_latency},
              {"square_sum", 2 + l.key_levels},
              {"square_root", l.root_bits + 1},
              {"float_round", 2},
              {"norm", 2 + l.key_levels + l.root_bits + 1 + 3},
              {"row_delay", l.row_delay},
              {"quantizer", 1},
              {"record", 1},
              {"sram_read", 1},
              {"query_rounding_shift", 3},
              {"query_rounding", 1},
              {"table_lookup", 1},
              {"adder_tree", l.read_levels},
              {"score", 1 + l.read_levels + 4 + l.sum_cycles},
              {"score_fifo", 1},
              {"key_stored_after_last_beat", l.store_cycles},
              {"query_rotated_after_last_beat", l.rotate_cycles},
              {"table_build", l.build_cycles},
              {"score_after_read", l.read_latency},
              {"beats_per_vector", l.rows},
              {"cycles_per_key_read", l.read_rows}};
  if (l.search_cycles > 0) all["record_after_first_row"] = l.search_cycles;
  if (l.second_pass > 0) {
    all["residual_after_first_row"] = l.rows + 5;
    all["second_pass_of_query"] = l.second_pass;
    all["second_pass_of_key"] = l.residual_cycles;
  }
  if (l.sum_cycles > 0) all["sum_of_terms"] = l.sum_cycles;
  if (l.key_wait > 0) all["cycles_between_keys"] = l.key_interval;
  if (l.scale_cycles > 0) {
    all["correlation"] = l.key_levels + part_parameters(design.config.parameters, 0).index_bits + 1;
    all["divide"] = Layout::kQuotientBits;
    all["scale"] = l.scale_cycles;
  }
  all["beats_per_record"] = l.beats;
  if (l.copy_cycles > 0) {
    all["copy"] = l.copy_cycles;
    all["first_copy_after_start_of_reads"] = l.copy_latency + l.copy_cycles;
  }
  if (l.code) {
    all["record_encoder"] = l.encode_cycles;
    all["record_decoder"] = l.code_stages + 1;
    all["interpolate"] = l.decode_cycles - l.code_stages - 1;
  }
  if (l.attends) add_attention_latencies(design, &all);
  all["ready_after_reset"] = l.release_cycles + l.reset_cycles;
  return all;
}

/// Code of the memory. Bit j of row i of P is 1 if data bit i feeds check bit j; H = [P^T | I].
Json code_of(const Design& design) {
  const Layout& l = design.layout;
  const files::Ecc& ecc = design.config.ecc;
  if (!l.code) return {{"name", "none"}};
  Json rows = Json::array();
  for (int check = 0; check < l.code->check_bits(); ++check) {
    std::string row;
    for (const std::uint32_t column : l.code->parity_rows)
      row += (column >> check & 1U) != 0 ? '1' : '0';
    for (int j = 0; j < l.code->check_bits(); ++j) row += j == check ? '1' : '0';
    rows.push_back(row);
  }
  return {{"name", l.code->name},
          {"n", l.code->n},
          {"k", l.code->k},
          {"correctable", l.code->correctable},
          {"words_per_record", l.code_words},
          {"parity_check_rows", rows},
          {"decoder", name_of(ecc.decoder)},
          {"stages", ecc.stages},
          {"scrub_interval", ecc.scrub_interval},
          {"erasure_at_reset", name_of(ecc.erasure)}};
}

Json port_list(const std::vector<Port>& ports) {
  Json list = Json::array();
  for (const Port& port : ports)
    list.push_back({{"name", port.name},
                    {"direction", port.input ? "input" : "output"},
                    {"width", port.width},
                    {"signed", port.is_signed},
                    {"meaning", port.meaning}});
  return list;
}

/// Every memory, and the views of the SRAM that takes its place.
Json memories_of(const Design& design) {
  Json list = Json::array();
  for (const Memory& memory : design.memories) {
    const std::string module = memory.module(design.prefix);
    Json files = Json::array();
    for (const SramView& view : sram_views()) files.push_back(view_path(module, view));
    list.push_back({{"holds", memory.holds},
                    {"instance", memory.instance},
                    {"words", memory.words},
                    {"bits", memory.bits},
                    {"module", module},
                    {"files", files}});
  }
  return list;
}

}  // namespace

std::string manifest_text(const Design& design, const std::vector<std::string>& sources) {
  const files::Config& config = design.config;
  Json signs = Json::array();
  for (const std::int8_t sign : config.head_rotation.signs) signs.push_back(static_cast<int>(sign));
  std::vector<std::int32_t> boundaries, centroids, reconstructions;
  const auto append = [](std::vector<std::int32_t>* to, const std::vector<std::int32_t>& more) {
    to->insert(to->end(), more.begin(), more.end());
  };
  for (const CodebookRom* rom = &design.rom; rom != nullptr; rom = rom->second.get()) {
    append(&boundaries, rom->boundaries);
    append(&centroids, rom->centroids);
    append(&reconstructions, rom->reconstructions);
  }
  Json constants = {{"boundaries", boundaries}};
  if (!reconstructions.empty()) constants["reconstruction_words"] = reconstructions;
  if (config.parameters.prod()) {
    constants["residual_scale"] = design.rom.residual_scale;
    constants["residual_signs"] = Json::array();
    for (const std::int8_t sign : config.head_rotation.residual_signs)
      constants["residual_signs"].push_back(static_cast<int>(sign));
  }
  if (design.rom.second) {
    constants["second_kappa"] = design.rom.second->kappa;
    constants["high_channels"] = config.head_rotation.high_channels;
  }
  constants.update({{"centroids", centroids},
                    {"kappa", design.rom.kappa},
                    {"score_scale", design.rom.score_scale},
                    {"center_exponent", design.layout.center_exponents.front()},
                    {"signs", signs},
                    {"center", config.center}});
  if (config.parameters.balanced) constants["balance"] = config.head_rotation.balance;
  if (config.attention.given) add_attention_constants(design, &constants);
  Json manifest = {{"name", config.name},
                   {"top", design.prefix + "_top"},
                   {"sources", sources},
                   {"parameters", parameters(design.config)},
                   {"widths_bits", widths(design)},
                   {"latencies_cycles", latencies(design)},
                   {"score_fifo_depth", design.layout.fifo_depth},
                   {"memories", memories_of(design)},
                   {"views",
                    {{"request", "views/memories.json"},
                     {"sources", "views/axelram.f"},
                     {"memory", "views/axelram_sram_1r1w.sv"},
                     {"openroad_flow_scripts", "views/config.mk"}}},
                   {"code", code_of(design)},
                   {"constants", constants},
                   {"ports", port_list(ports(config, design.layout))}};
  if (design.observe) {
    manifest["observation_ports"] = port_list(observation_ports(config, design.layout));
    manifest["observed_tensors"] = observed_tensors(design);
  }
  return manifest.dump(2) + "\n";
}

}  // namespace axelram::rtl
