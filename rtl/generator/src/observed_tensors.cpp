#include <nlohmann/json.hpp>
#include <stdexcept>

#include "generator_internal.hpp"

namespace axelram::rtl {

nlohmann::ordered_json observed_tensors(const Design& design) {
  const auto memory_of = [&](const std::string& holds) {
    for (const Memory& memory : design.memories)
      if (memory.holds == holds) return "memory " + memory.instance + ".memory_q";
    throw std::logic_error("no memory holds " + holds);
  };
  const std::string memory = memory_of("records");
  const bool coded = design.layout.code.has_value();
  nlohmann::ordered_json all;
  if (design.config.parameters.trellis()) {
    all = {{"indices", "obs_index_o while obs_index_valid_o, the last element first"},
           {"levels", "obs_level_o while obs_index_valid_o, the last element first"},
           {"path_costs", "obs_path_cost_o while obs_path_cost_valid_o"},
           {"reconstructions",
            "obs_reconstructions_o while obs_reconstructions_valid_o: the upper half; the lower "
            "half is its negative"}};
  } else {
    all = {{"indices", "obs_indices_o, rows of key_lanes while obs_indices_valid_o"},
           {"thresholds", "obs_thresholds_o while obs_thresholds_valid_o"}};
  }
  all.update({{"norms", "obs_norm_o while obs_norm_valid_o"},
              {"records", coded ? "obs_record_o while obs_record_valid_o" : memory},
              {"rotated_queries", "obs_query_o, rows of key_lanes while obs_query_valid_o"},
              {"query_exponents", "obs_query_exponent_o while obs_query_valid_o"},
              {"accumulators", "obs_acc_o while obs_acc_valid_o"},
              {"scores", "score_data_o while score_valid_o and score_ready_i"}});
  if (design.config.parameters.prod())
    all.update(
        {{"reconstructions",
          "obs_reconstructions_o while obs_reconstructions_valid_o: the upper half; the lower "
          "half is its negative"},
         {"residual_signs",
          "obs_residual_signs_o, rows of key_lanes while obs_residual_signs_valid_o"},
         {"residual_norms", "obs_residual_norm_o while obs_residual_norm_valid_o"},
         {"residual_shifts", "obs_residual_shift_o while obs_residual_shift_valid_o"},
         {"residual_queries", "obs_query_o, rows of key_lanes while obs_residual_query_valid_o"},
         {"residual_query_exponents", "obs_query_exponent_o while obs_residual_query_valid_o"},
         {"residual_accumulators", "obs_residual_acc_o while obs_acc_valid_o"}});
  if (design.config.parameters.scale == ScaleKind::unbiased)
    all["correlations"] = "obs_correlation_o while obs_correlation_valid_o";
  if (design.config.parameters.split())
    for (auto& [tensor, source] : all.items())
      if (tensor != "records" && tensor != "codewords" && tensor != "scores" &&
          tensor != "query_exponents")
        source = source.get<std::string>() + (tensor == "rotated_queries"
                                                  ? "; the upper half of a row is of sub-vector 1"
                                                  : "; of sub-vector 1 obs_second_*");
  if (design.layout.attends) {
    // A memory may have replaced a token, so that records and codewords are sampled as they are
    // stored.
    all["records"] = "obs_key_record_o while obs_stored_o";
    all["scores"] = "obs_score_o while obs_score_valid_o, 32 bits a query";
    all["accumulators"] = "obs_acc_o while obs_acc_valid_o, of each query";
    all.update({{"value_indices", "as indices, of every second vector of a token"},
                {"value_norms", "as norms, of every second vector of a token"},
                {"value_records", "obs_value_record_o while obs_stored_o"},
                {"logits", "obs_logit_o while obs_logit_valid_o, 27 bits a query"},
                {"weights", "obs_weight_o while obs_weight_valid_o, of each query"},
                {"weight_references", "obs_reference_o while obs_weight_valid_o, 16 bits a query"},
                {"sums", "obs_sums_o while obs_end_o, 0 where obs_weighted_o is low"},
                {"output_shifts", "obs_sum_shift_o while obs_rotated_valid_o"},
                {"rotated_outputs", "obs_rotated_o while obs_rotated_valid_o"},
                {"reciprocals", "obs_reciprocal_o while obs_rotated_valid_o"},
                {"outputs", "output_data_o while output_valid_o and output_ready_i"},
                {"maxima", "output_maximum_o with output_last_o"},
                {"denominators", "output_denominator_o with output_last_o"},
                {"refused",
                 "obs_bad_command_o, obs_token_lost_o, obs_fate_store_o and "
                 "obs_group_rejected_o"}});
    if (coded)
      all.update({{"codewords", "obs_key_codewords_o while obs_written_o"},
                  {"value_codewords", "obs_value_codewords_o while obs_written_o"}});
    return all;
  }
  if (coded) all["codewords"] = memory;
  if (design.config.parameters.copies() != 0) {
    all["exact"] = "obs_copied_o after the last key";
    all["exact_keys"] = memory_of("copies");
    all["exact_exponents"] = memory_of("copy exponents");
  }
  return all;
}

}  // namespace axelram::rtl
