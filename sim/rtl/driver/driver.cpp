#include "axelram/sim/driver.hpp"

#include <algorithm>
#include <array>

namespace axelram::sim {
Driver::Driver(const files::Config& config, RtlModel& model, Stalls stalls, std::uint64_t seed)
    : config_(config), layout_(config), model_(model), stalls_(stalls, seed) {
  std::vector<std::pair<PortValue*, std::string>> bindings = {
      {&rst_ni_, "rst_ni"},
      {&vector_valid_, "vector_valid_i"},
      {&vector_ready_, "vector_ready_o"},
      {&vector_query_, "vector_query_i"},
      {&vector_record_, "vector_record_i"},
      {&vector_data_, "vector_data_i"},
      {&score_valid_, "score_valid_o"},
      {&score_ready_, "score_ready_i"},
      {&score_data_, "score_data_o"},
      {&score_last_, "score_last_o"},
      {&score_saturated_, "score_saturated_o"},
      {&clear_valid_, "clear_valid_i"},
      {&clear_ready_, "clear_ready_o"},
      {&key_count_, "key_count_o"},
      {&busy_, "busy_o"},
      {&query_done_, "query_done_o"},
      {&errors_clear_, "errors_clear_i"},
      {&errors_, "errors_o"},
      {&error_counts_, "error_counts_o"},
      {&state_, "obs_state_o"},
      {&residual_shift_valid_, "obs_residual_shift_valid_o"},
      {&residual_shift_, "obs_residual_shift_o"},
      {&residual_signs_valid_, "obs_residual_signs_valid_o"},
      {&residual_signs_, "obs_residual_signs_o"},
      {&residual_norm_valid_, "obs_residual_norm_valid_o"},
      {&residual_norm_, "obs_residual_norm_o"},
      {&residual_query_valid_, "obs_residual_query_valid_o"},
      {&residual_acc_, "obs_residual_acc_o"},
      {&key_waits_, "obs_key_waits_o"},
      {&clock_running_, "obs_clock_running_o"},
      {&record_valid_, "obs_record_valid_o"},
      {&record_rejected_, "obs_record_rejected_o"},
      {&key_rejected_, "obs_key_rejected_o"},
      {&record_waits_, "obs_record_waits_o"},
      {&copy_valid_, "obs_copy_valid_o"},
      {&copy_, "obs_copy_o"},
      {&copy_exponent_, "obs_copy_exponent_o"},
      {&copy_ready_, "obs_copy_ready_o"},
      {&copied_, "obs_copied_o"},
      {&query_valid_, "obs_query_valid_o"},
      {&query_row_, "obs_query_o"},
      {&query_exponent_, "obs_query_exponent_o"},
      {&read_, "obs_read_o"},
      {&acc_valid_, "obs_acc_valid_o"},
      {&acc_, "obs_acc_o"},
      {&second_acc_, "obs_second_acc_o"},
      {&code_load_, "ecc_load_i"},
      {&erasure_, "ecc_erasure_i"},
      {&write_back_, "ecc_write_back_i"},
      {&code_counts_, "ecc_counts_o"},
      {&first_valid_, "ecc_first_valid_o"},
      {&first_address_, "ecc_first_address_o"},
      {&inject_load_, "inject_load_i"},
      {&inject_mode_, "inject_mode_i"},
      {&inject_mask_, "inject_mask_i"},
      {&inject_armed_, "inject_armed_o"},
      {&record_, "obs_record_o"},
      {&ready_, "obs_ready_o"},
      {&memory_read_, "obs_memory_read_o"},
      {&memory_address_, "obs_memory_address_o"},
      {&decoded_valid_, "obs_decoded_valid_o"},
      {&decoded_scrub_, "obs_decoded_scrub_o"},
      {&decoded_, "obs_decoded_o"},
      {&status_, "obs_status_o"},
      {&written_back_, "obs_write_back_o"},
      {&lookup_valid_, "obs_lookup_valid_o"},
      {&lookup_, "obs_lookup_o"},
  };
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    Part& part = parts_[j];
    const std::string name = j == 0 ? "obs_" : "obs_second_";
    const std::pair<PortValue*, const char*> of_part[] = {
        {&part.thresholds_valid, "thresholds_valid_o"},
        {&part.thresholds, "thresholds_o"},
        {&part.norm_valid, "norm_valid_o"},
        {&part.norm, "norm_o"},
        {&part.correlation_valid, "correlation_valid_o"},
        {&part.correlation, "correlation_o"},
        {&part.indices_valid, "indices_valid_o"},
        {&part.indices, "indices_o"},
        {&part.reconstructions_valid, "reconstructions_valid_o"},
        {&part.reconstructions, "reconstructions_o"},
        {&part.path_cost_valid, "path_cost_valid_o"},
        {&part.path_cost, "path_cost_o"},
        {&part.index_valid, "index_valid_o"},
        {&part.index, "index_o"},
        {&part.level, "level_o"}};
    for (const auto& [value, rest] : of_part) bindings.emplace_back(value, name + rest);
  }
  for (const rtl::Port& port : rtl::observed_top_ports(config, layout_)) {
    const auto bound = std::find_if(bindings.begin(), bindings.end(),
                                    [&](const auto& pair) { return port.name == pair.second; });
    if (bound != bindings.end())
      *bound->first = model_.port(port.name, port.width);
    else if (port.name != "clk_i")
      throw std::logic_error("the driver does not bind port " + port.name);
  }
  reset();
}

void Driver::reset() {
  vector_valid_.set(0);
  score_ready_.set(0);
  clear_valid_.set(0);
  errors_clear_.set(0);
  if (layout_.code) {
    inject_load_.set(0);
    code_load_.set(0);
  }
  // An edge: the model of a register with an asynchronous reset starts at the edge, not at the
  // level.
  rst_ni_.set(1);
  model_.peek();
  rst_ni_.set(0);
  for (int i = 0; i < 3; ++i) {
    model_.settle();
    model_.edge();
    ++cycle_;
  }
  rst_ni_.set(1);
  released_busy_ = true;
  for (int i = 0; i < layout_.release_cycles; ++i) {
    model_.settle();
    released_busy_ = released_busy_ && busy_.get() != 0 && vector_ready_.get() == 0 &&
                     clear_ready_.get() == 0 && score_valid_.get() == 0;
    model_.edge();
    ++cycle_;
  }
  offered_ = {};
  beat_ = 0;
  for (Part& part : parts_) {
    part.traced_indices.clear();
    part.traced_levels.clear();
  }
  turns_ = {};
  query_elements_.clear();
  beat_on_bus_ = clearing_ = rotating_ = query_running_ = false;
  stalls_.end();
  writes_pending_ = scores_pending_ = 0;
  written_beat_ = cycle_ - 1;  // the reset counts as one
  score_is_first_ = true;
  score_held_ = counted_scores_ = last_beat_just_taken_ = scrubbing_ = false;
  last_progress_ = cycle_;
}

std::optional<unsigned> Driver::first_error() const {
  if (first_valid_.get() == 0) return std::nullopt;
  return static_cast<unsigned>(first_address_.get());
}

void Driver::record_waves(const std::string& path, std::uint64_t from) {
  waves_path_ = path;
  waves_from_ = from;
}

void Driver::idle(int count) {
  Observer none;
  offered_ = {};
  beat_on_bus_ = false;
  try {
    for (int i = 0; i < count; ++i) step(none);
  } catch (const ProtocolError&) {
    // The error has been reported. These cycles are only for the waveform.
  }
}

void Driver::step(Observer& observer) {
  if (!released_busy_)
    throw ProtocolError("busy_o is low, or a handshake is open, while the reset is released");
  if (!waves_path_.empty() && cycle_ >= waves_from_) {
    model_.start_waves(waves_path_);
    waves_path_.clear();
  }
  drive();
  if (stalls_.stalls().output > 0) check_independence();
  model_.settle();
  observe(observer);
  model_.edge();
  if (*model_.failure() != '\0')
    throw AssertionError(std::string("the assertion at ") + model_.failure() + " failed");
  ++cycle_;
}

void Driver::drive() {
  if (!beat_on_bus_ && offered_.elements != nullptr) {
    if (stalls_.input()) {
      if (!input_was_gap_)
        (beat_ == 0 ? stall_counts_.gap_before_vector : stall_counts_.gap_inside_vector)++;
      input_was_gap_ = true;
    } else {
      offer_beat();
      input_was_gap_ = false;
    }
  }
  vector_valid_.set(beat_on_bus_ ? 1 : 0);
  clear_valid_.set(clearing_ ? 1 : 0);
  score_ready_.set(stalls_.output() ? 0 : 1);
}

/// Checks that no handshake depends on an input in the same cycle.
void Driver::check_independence() {
  const std::array<std::pair<PortValue*, const char*>, 5> outputs = {
      {{&vector_ready_, "vector_ready_o"},
       {&score_valid_, "score_valid_o"},
       {&clear_ready_, "clear_ready_o"},
       {&busy_, "busy_o"},
       {&query_done_, "query_done_o"}}};
  const std::array<PortValue*, 5> inputs = {&vector_valid_, &vector_query_, &vector_record_,
                                            &score_ready_, &clear_valid_};
  model_.peek();
  std::array<std::uint64_t, outputs.size()> before{};
  for (std::size_t i = 0; i < outputs.size(); ++i) before[i] = outputs[i].first->get();
  for (PortValue* input : inputs) input->set(input->get() ^ 1);
  model_.peek();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].first->get() != before[i])
      throw ProtocolError(std::string(outputs[i].second) +
                          " depends on an input in the same cycle");
  for (PortValue* input : inputs) input->set(input->get() ^ 1);
}

void Driver::offer_beat() {
  const int lanes = config_.microarchitecture.key_lanes;
  vector_data_.set_bytes(offered_.elements + beat_ * lanes);
  // Only the first beat tells keys, queries and records apart. Later beats carry random bits.
  vector_query_.set(beat_ == 0 ? offered_.kind == Kind::query : stalls_.random() & 1);
  vector_record_.set(beat_ == 0 ? offered_.kind == Kind::record : stalls_.random() & 1);
  beat_on_bus_ = true;
}

}  // namespace axelram::sim
