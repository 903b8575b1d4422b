#include "rtl/attention/collector.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "axelram/run/result.hpp"
#include "axelram/softmax.hpp"

namespace axelram::sim {
namespace {

std::int64_t signed_bits(const PortValue& port, std::size_t number, int width) {
  const int low = static_cast<int>(number) * width;
  if (width <= 32) return port.signed_field(low, width);
  const std::int64_t upper = port.signed_field(low + 32, width - 32);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(upper) << 32 | port.field(low, 32));
}

template <class T>
void zero_row(std::vector<T>* tensor, std::size_t row, std::size_t rows) {
  std::ranges::fill(files::row_of(*tensor, row, rows), T{});
}

}  // namespace

AttentionCollector::AttentionCollector(const files::Config& config, const rtl::Layout& layout,
                                       AttentionPorts& ports, const files::Trace& trace)
    : config_(config),
      layout_(layout),
      ports_(ports),
      result_(run::empty_result(config, trace)),
      d_(static_cast<std::size_t>(config.parameters.head_dim)),
      rows_(static_cast<std::size_t>(config.max_keys)),
      stored_(result_.tokens),
      slots_(result_.tokens) {}

void AttentionCollector::group_taken(std::size_t first, std::size_t count, bool attends) {
  group_ = {group_.number + 1, first, count, attends};
  queries_taken_ = load_element_ = 0;
  loads_.clear();
  if (!attends) return;
  answer_ = group_;
  rotated_ = 0;
  outputs_.push_back(group_);
}

void AttentionCollector::observe() {
  observe_records();
  observe_codewords();
  observe_ends();
  observe_copies();
  observe_quantizer();
  observe_query();
  observe_rejection();
  observe_tokens();
  observe_scores();
  observe_heads();
  observe_outputs();
  vector_ended_ = !taken_.empty();
}

/// The vector whose last beat was taken in the cycle before.
void AttentionCollector::observe_ends() {
  if (vector_ended_) {
    const Vector vector = next_of(&taken_, "vectors");
    if (ports_.vector_rejected.get() == 0) {
      if (vector.is_query)
        loads_.push_back(vector.row);
      else
        for (auto* queue : {&norms_, &thresholds_, &indices_, &correlations_, &costs_,
                            &reconstructions_, &paths_})
          queue->push_back(vector);
    }
  }
  if (ports_.fate_valid.get() != 0) {
    const std::size_t row = next_of(&fates_, "fates of tokens");
    const bool stored = ports_.fate_store.get() != 0;
    if (result_.has_copies() && ports_.fate_key.get() != 0) copying_.push_back(row);
    done_.push_back({row, stored});
    if (!stored) rejected_tokens_.push_back(row);
  }
  if (ports_.token_lost.get() != 0) rejected_tokens_.push_back(next_of(&fates_, "fates of tokens"));
}

/// A group has no output, though queries of it may have been rotated.
void AttentionCollector::observe_rejection() {
  if (ports_.group_rejected.get() == 0) return;
  rejected_group_ = true;
  if (group_.attends) outputs_.pop_back();
  for (std::size_t g = 0; g < group_.count; ++g) {
    zero_row(&result_.rotated_queries, group_.first + g, result_.queries);
    result_.query_exponents[group_.first + g] = 0;
  }
}

void AttentionCollector::observe_records() {
  if (ports_.token_done.get() == 0) return;
  const Fate fate = next_of(&done_, "tokens");
  if ((ports_.stored.get() != 0) != fate.stored)
    throw SimulationError("the RTL stores a token against its fate");
  if (!fate.stored) return;
  stored_[fate.row] = true;
  if (layout_.code) encoding_.push_back(fate.row);
  rows_[ports_.place.get()] = fate.row;
  const auto bytes = static_cast<std::size_t>(config_.parameters.record_bytes());
  std::vector<std::uint8_t> record(bytes + 8);
  ports_.key_record.get_bytes(record.data());
  std::memcpy(result_.records.data() + fate.row * bytes, record.data(), bytes);
  ports_.value_record.get_bytes(record.data());
  std::memcpy(result_.value_records.data() + fate.row * bytes, record.data(), bytes);
}

/// A token leaves the encoders and is written.
void AttentionCollector::observe_codewords() {
  if (!layout_.code || ports_.written.get() == 0) return;
  const std::size_t row = next_of(&encoding_, "tokens that are written"),
                    bytes = result_.codeword_bytes;
  std::vector<std::uint8_t> codewords(bytes + 8);
  ports_.key_codewords.get_bytes(codewords.data());
  std::memcpy(result_.codewords.data() + row * bytes, codewords.data(), bytes);
  ports_.value_codewords.get_bytes(codewords.data());
  std::memcpy(result_.value_codewords.data() + row * bytes, codewords.data(), bytes);
}

/// The copy of a key takes a slot for its own, from the next cycle on.
void AttentionCollector::observe_copies() {
  if (!result_.has_copies() || ports_.copy_known.get() == 0) return;
  const std::size_t row = next_of(&copying_, "copies");
  if (ports_.copy_kept.get() != 0) slots_[row] = static_cast<unsigned>(ports_.copy_slot.get());
}

void AttentionCollector::observe_query() {
  if (ports_.query_valid.get() == 0) return;
  if (loads_.empty()) throw SimulationError("the RTL output too many rows of queries");
  const std::size_t q = loads_.front();
  const bool of_trace = q < group_.first + group_.count;
  const int lanes = config_.microarchitecture.key_lanes, bits = config_.parameters.query_bits;
  for (int i = 0; i < lanes; ++i, ++load_element_)
    if (of_trace)
      result_.rotated_queries[q * d_ + load_element_] = ports_.query.signed_field(i * bits, bits);
  if (of_trace)
    result_.query_exponents[q] = static_cast<std::int32_t>(ports_.query_exponent.get_signed());
  if (load_element_ < d_) return;
  load_element_ = 0;
  loads_.pop_front();
}

template <class Set>
void AttentionCollector::of_token(const char* what, const std::vector<Read>& reads,
                                  std::size_t* next, Set&& set) {
  if (*next >= reads.size())
    throw SimulationError(std::string("the RTL output more ") + what + " than it has read tokens");
  const Read& read = reads[(*next)++];
  for (std::size_t g = 0; g < read.group.count; ++g)
    set((read.group.first + g) * result_.tokens + read.row, g);
}

void AttentionCollector::observe_tokens() {
  if (ports_.read.get() != 0) {
    reads_.push_back({group_, rows_[ports_.address.get()]});
    if (group_.attends) attended_.push_back(reads_.back());
  }
  if (ports_.acc_valid.get() != 0)
    of_token("accumulators", reads_, &accs_, [&](std::size_t cell, std::size_t g) {
      result_.accumulators[cell] = signed_bits(ports_.acc, g, layout_.most_accumulator_bits);
    });
  if (ports_.scores_valid.get() != 0) {
    if (scored_ < reads_.size() && !reads_[scored_].group.attends) beats_.push_back({scored_});
    of_token("scores", reads_, &scored_, [&](std::size_t cell, std::size_t g) {
      result_.scores[cell] =
          std::bit_cast<float>(ports_.scores.field(static_cast<int>(g) * 32, 32));
    });
  }
  if (ports_.logit_valid.get() != 0)
    of_token("logits", attended_, &logits_, [&](std::size_t cell, std::size_t g) {
      result_.logits[cell] = ports_.logit.signed_field(static_cast<int>(g) * 27, 27);
    });
  if (ports_.weight_valid.get() != 0)
    of_token("weights", attended_, &weights_, [&](std::size_t cell, std::size_t g) {
      const int bits = config_.attention.parameters.weight_bits, number = static_cast<int>(g);
      result_.weights[cell] = static_cast<std::int32_t>(ports_.weight.field(number * bits, bits));
      result_.weight_references[cell] = ports_.reference.signed_field(number * 16, 16);
    });
}

/// A beat of scores has those that the heads have made.
void AttentionCollector::observe_scores() {
  if (ports_.score_valid.get() == 0 || ports_.score_ready.get() == 0) return;
  Beat beat = next_of(&beats_, "beats of scores");
  const Read& read = reads_[beat.read];
  for (std::size_t g = 0; g < read.group.count; ++g) {
    const std::size_t q = read.group.first + g;
    if (ports_.score_data.field(static_cast<int>(g) * 32, 32) !=
        std::bit_cast<std::uint32_t>(result_.scores[q * result_.tokens + read.row]))
      throw SimulationError("score_data_o is not the score of query " + std::to_string(q) +
                            " and token " + std::to_string(read.row));
  }
  beat.last = ports_.score_last.get() != 0;
  seen_beats_.push_back(beat);
}

void AttentionCollector::observe_heads() {
  if (ports_.end.get() != 0)
    for (std::size_t g = 0; g < answer_.count; ++g)
      if (ports_.weighted.field(static_cast<int>(g), 1) != 0)
        for (std::size_t i = 0; i < d_; ++i)
          result_.sums[(answer_.first + g) * d_ + i] =
              signed_bits(ports_.sums, g * d_ + i, layout_.sum_bits);
  if (ports_.rotated_valid.get() == 0) return;
  const std::size_t g = rotated_++;
  if (g >= answer_.count) return;
  const std::size_t q = answer_.first + g;
  const int bits = config_.parameters.significand_bits + config_.parameters.log2_dim();
  for (std::size_t i = 0; i < d_; ++i)
    result_.rotated_outputs[q * d_ + i] =
        ports_.rotated.signed_field(static_cast<int>(i) * bits, bits);
  result_.output_shifts[q] = static_cast<std::int32_t>(ports_.sum_shift.get());
  result_.reciprocals[q] = static_cast<std::uint32_t>(ports_.reciprocal.get());
}

void AttentionCollector::observe_outputs() {
  if (ports_.output_valid.get() == 0 || ports_.output_ready.get() == 0) return;
  if (outputs_.empty()) throw SimulationError("the RTL output too many beats of outputs");
  Group& group = outputs_.front();
  const bool of_trace = group.head < group.count;
  const std::size_t q = group.first + group.head;
  files::Result& r = result_;
  const int bits = r.output == OutputFormat::fp16 ? 16 : 32;
  const auto lanes = static_cast<std::size_t>(config_.attention.output_lanes);
  for (std::size_t i = 0; i < lanes; ++i, ++output_element_) {
    if (!of_trace) continue;
    r.set_output(q * d_ + output_element_,
                 ports_.output_data.field(static_cast<int>(i) * bits, bits));
  }
  // Every beat has the maximum and the denominator of its head.
  const auto maximum = static_cast<std::int32_t>(ports_.output_maximum.get_signed());
  const std::uint64_t denominator = ports_.output_denominator.get();
  if (of_trace && output_element_ > lanes &&
      (r.maxima[q] != maximum || r.denominators[q] != denominator))
    throw SimulationError("output_maximum_o or output_denominator_o changes within a head");
  if (of_trace) {
    r.maxima[q] = maximum;
    r.denominators[q] = denominator;
  }
  if ((ports_.output_last.get() != 0) != (output_element_ == d_))
    throw SimulationError("output_last_o is not at the last beat of a head");
  if (output_element_ < d_) return;
  output_element_ = 0;
  if (++group.head == static_cast<std::size_t>(config_.attention.parameters.group))
    outputs_.pop_front();
}

files::Result AttentionCollector::finish() {
  for (const Beat& beat : seen_beats_) {
    const std::size_t next = beat.read + 1;
    const bool is_last =
        next == reads_.size() || reads_[next].group.number != reads_[beat.read].group.number;
    if (beat.last != is_last)
      throw SimulationError("score_last_o is not with the last score of a group");
  }
  files::for_each_tensor(result_,
                         [this](const files::TensorRow& tensor, const files::Shape&, auto& values) {
                           if (tensor.axes.front() != &files::result_axis::tokens) return;
                           for (std::size_t row = 0; row < result_.tokens; ++row)
                             if (!stored_[row]) zero_row(&values, row, result_.tokens);
                         });
  return std::move(result_);
}

}  // namespace axelram::sim
