#include <set>

#include "axelram/report/report.hpp"
#include "small_configs.hpp"
#include "support.hpp"

// Each line of a report changes with something that it depends on: no line stands still.

namespace axelram::report {
namespace {

const std::string kMacro = "macro: {head_dim: 64, max_keys: 64}\n";
const std::string kMemory = "sram: {model: table, node: 130}\n";

/// A configuration, and lines that differ from those of the base.
struct Change {
  files::Config config;
  std::vector<std::string> lines;
};

files::Config with(const std::string& text) { return test::small(kMacro + text + kMemory); }
files::Config macro_of(const std::string& text) {
  return test::small("macro: {" + text + "}\n" + kMemory);
}

std::vector<Change> changes() {
  std::vector<Change> all = {
      {macro_of("head_dim: 128, max_keys: 64"),
       {"element_alignments_per_vector", "sign_flips_per_vector", "butterflies_per_vector",
        "squarings_per_key", "square_sum_additions_per_key", "query_roundings_per_query",
        "lookups_per_key_scored", "additions_per_key_scored", "square_root_stages_in_hardware",
        "sign_rom", "bytes_per_key_uncompressed", "align_buffer_bits", "square_root_bits"}},
      {macro_of("head_dim: 64, max_keys: 64, index_bits: 2"),
       {"comparisons_per_key",
        "threshold_multiplications_per_key",
        "table_multiplications_per_query",
        "multiplications_per_query",
        "multiplication_reduction",
        "write_path_multiplications_per_key",
        "multiplications_per_decoding_step",
        "multiplication_reduction_per_decoding_step",
        "multiplication_reduction_single_query",
        "threshold_multipliers_in_hardware",
        "threshold_adders_in_hardware",
        "codebook_rom",
        "table_memory",
        "bytes_per_key",
        "compression",
        "key_store",
        "model_cache",
        "key_store_bits",
        "key_store_output_bits",
        "record_register_bits",
        "table_bits",
        "key_store_tiles",
        "key_store_read_energy",
        "key_store_write_energy",
        "key_store_leakage",
        "distortion_theory",
        "distortion_theory_sphere",
        "distortion_lower_bound",
        "distortion_upper_bound",
        "gaussian_distortion",
        "gaussian_distortion_rom",
        "gaussian_score_relative_rms_error"}},
      {macro_of("head_dim: 64, max_keys: 100"),
       {"conventional_multiplications_per_query", "model_cache_uncompressed", "query_read_energy",
        "key_store_area", "key_store_read_time"}},
      {with("microarchitecture: {key_lanes: 8}\n"),
       {"aligners_in_hardware", "exponent_comparators_in_hardware", "sign_negators_in_hardware",
        "butterflies_in_hardware", "comparators_in_hardware", "index_adders_in_hardware",
        "squarers_in_hardware", "square_sum_adders_in_hardware", "query_rounders_in_hardware",
        "hadamard_delay_bits", "hadamard_pipeline_bits", "row_delay_bits", "record_input_bits",
        "key_interval_cycles", "key_store_latency_cycles", "record_interval_cycles",
        "query_rotate_latency_cycles", "full_store_write_cycles", "full_store_rotate_cycles"}},
      {with("microarchitecture: {read_lanes: 8}\n"),
       {"table_memories_in_hardware", "adders_in_hardware", "score_fifo_bits",
        "key_read_interval_cycles", "score_latency_cycles", "full_store_read_cycles"}},
      {with("microarchitecture: {table_multipliers: 4}\n"),
       {"table_multipliers_in_hardware", "table_build_latency_cycles", "full_store_build_cycles",
        "full_store_total_cycles"}},
      {with("numerics: {query_bits: 10}\n"), {"query_buffer_bits"}},
      {with("ecc: {code: golay24, stages: 2}\n"),
       {"float_rounders_in_hardware", "record_store_latency_cycles"}},
      {test::small_split(),
       {"square_roots_per_key", "norm_roundings_per_key", "norm_multiplications_per_key_scored",
        "score_accumulators_in_hardware", "norm_multipliers_in_hardware"}}};
  // The codes: the words of a record of 14 bytes are not whole in most of them.
  for (const char* name :
       {"hamming74", "hamming84", "golay24", "hsiao_22_16", "hsiao_39_32", "hsiao_72_64"}) {
    const std::string code = name;
    all[1].lines.push_back(code + "_stored_bits");
    all[2].lines.push_back(code + "_reset_cycles");
    all[4].lines.push_back(code + "_score_latency_cycles");
    all[7].lines.push_back(code + "_key_store_latency_cycles");
  }
  for (const char* code : {"golay24", "hsiao_39_32", "hsiao_72_64"})
    all[1].lines.push_back(code + std::string("_overhead"));
  return all;
}

}  // namespace

TEST_CASE("each line of a report changes with what it depends on") {
  const auto base = by_name(report(with(""), {}));
  std::set<std::string> changed;
  for (const Change& change : changes()) {
    CASE(change.lines);
    const auto now = by_name(report(change.config, {}));
    for (const std::string& name : change.lines) {
      REQUIRE_MESSAGE(base.count(name) == 1, name);
      REQUIRE_MESSAGE(now.count(name) == 1, name);
      CHECK_MESSAGE(now.at(name).value != base.at(name).value, name);
      changed.insert(name);
    }
  }
  // Records are whole bytes, and so whole words of these codes: their overhead is a constant.
  changed.insert({"hamming74_overhead", "hamming84_overhead", "hsiao_22_16_overhead"});
  for (const auto& [name, line] : base)
    if (line.method != Method::not_available)
      CHECK_MESSAGE(changed.count(name) == 1, name << " is not known to change");
}

}  // namespace axelram::report
