#pragma once

#include "axelram/files/config.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/sim/rtl_model.hpp"

namespace axelram::sim {

/// Ports of the observed top of a macro with attention, by their names without suffix.
struct AttentionPorts {
  /// Throws std::logic_error if the top has a port that is not bound here.
  AttentionPorts(const files::Config& config, const rtl::Layout& layout, RtlModel& model);

  PortValue rst_n;
  PortValue vector_valid, vector_ready, vector_kind, vector_segment, vector_data;
  PortValue command_valid, command_ready, command_kind, command_segment, command_base;
  PortValue command_capacity, command_sinks, command_rotation, command_wrap, command_n;
  PortValue clear_valid, clear_ready;
  PortValue output_valid, output_ready, output_data, output_last, output_saturated;
  PortValue output_maximum, output_denominator;
  PortValue score_valid, score_ready, score_data, score_last, score_saturated;
  PortValue scale_load, scale, scale_exponent;
  PortValue busy, query_done, errors_clear, errors, error_counts;

  PortValue ready, state, beat, bad_command, group_rejected, vector_rejected;
  PortValue token_lost, fate_valid, fate_store, token_done, stored, place, key_record, value_record;
  PortValue query_valid, query, query_exponent, read, address, acc_valid, acc;
  PortValue scores_valid, scores, logit_valid, logit, weight_valid, weight, reference;
  PortValue end, sums, weighted, rotated_valid, rotated, sum_shift, reciprocal;
  PortValue rotation_load, rotation_row, rotation_signs;  // only with rotation_memory ram
  PortValue rotation_center;                              // only with centers besides
  PortValue rotation_balance;                             // only with exponents besides
  // Only with a code.
  PortValue code_load, erasure, write_back, code_counts, first_valid, first_address;
  PortValue inject_load, inject_mode, inject_mask, inject_armed, inject_value;
  PortValue written, key_codewords, value_codewords;
  PortValue fate_key, copy_known, copy_kept, copy_slot;  // only with exact tokens
  // Of keys and values.
  PortValue norm_valid, norm, thresholds_valid, thresholds, indices_valid, indices;
  PortValue correlation_valid, correlation;  // only with an unbiased scale
  PortValue reconstructions_valid, reconstructions, path_cost_valid, path_cost;  // only a trellis
  PortValue index_valid, index, level;
};

}  // namespace axelram::sim
