#include "memory/slot_memory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "axelram/fast.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/gate.hpp"
#include "axelram/token_memory.hpp"
#include "axelram/transformer/kv_cache.hpp"
#include "axelram/transformer/product.hpp"
#include "memory/memory_life.hpp"
#include "rows/float_vectors.hpp"

namespace axelram::caches {
namespace {

constexpr const char* kAdvice = "FP16 holds numbers up to 65504, which a memory needs";

class SlotMemory : public transformer::HeadMemory {
 public:
  SlotMemory(const MemorySetup& setup, std::shared_ptr<const RowCode> code, const UnitTable& units,
             const CacheSite& site)
      : site_(site),
        head_(setup.head(site.layer, site.head)),
        code_(std::move(code)),
        units_(&units),
        records_(head_, units),
        datapath_(head_.parameters, head_.rom, head_.key_rotation(), head_.center, units),
        faults_(setup.faults()),
        threshold_(fault_threshold(setup.faults().ber)),
        gate_bias_(setup.gate_bias()),
        d_(static_cast<std::size_t>(head_.parameters.head_dim)),
        slots_(static_cast<std::size_t>(head_.memory.slots())),
        key_(d_),
        value_(d_),
        mask_(code_->stored_bytes()),
        before_(code_->data_bytes()),
        data_(code_->data_bytes()),
        statuses_(code_->status_bytes()) {
    if (code_->code() != nullptr || threshold_ != 0)
      head_.corrupt = [this](bool values, std::int32_t position, std::uint8_t* stored) {
        corrupt(values, position, stored);
      };
    begin(0);
  }

  void begin(std::uint32_t sequence) override {
    sequence_ = sequence;
    memory_ = units_ == &reference_units() ? golden_token_memory(head_) : fast_token_memory(head_);
    take_over();
  }

  void load(MemoryState state) override {
    memory_->load(std::move(state));
    take_over();
  }

  void write(const float* key, const float* value, float gate) override {
    const auto token = static_cast<std::size_t>(state().tokens);
    elements(key, "key", token, key_.data());
    elements(value, "value", token, value_.data());
    if (!std::isfinite(gate))
      reject(site_, "write gate", token, 0, gate, "a logit must be a number");
    const bool wide = head_.memory.store == MemoryStore::f32;
    MemoryEvent event;
    const MemoryStatus status = memory_->write(
        {key_.data(), value_.data(), gate, wide ? key : nullptr, wide ? value : nullptr}, &event);
    if (status != MemoryStatus::stored)
      throw files::InputError("token " + std::to_string(token) +
                              ": the memory takes sequences of at most " +
                              std::to_string(head_.longest) + " tokens");
    life_.add(event, state());
    end_ = std::max(end_, static_cast<std::size_t>(event.written) + 1);
    read_slot(static_cast<std::size_t>(event.written));
    if (event.leaver == Leaver::spawned || event.leaver == Leaver::merged)
      read_slot(static_cast<std::size_t>(event.summary));
  }

  void attend(const transformer::TokenQueries& queries, float* out) override {
    const std::size_t count = queries.count;
    weights_.resize(std::max(weights_.size(), count * end_));
    find_hidden(queries.oldest);
    weigh(queries.signal, queries, weights_.data());
    if (queries.noise != nullptr) {
      others_.resize(std::max(others_.size(), count * end_));
      weigh(queries.noise, queries, others_.data());
      for (std::size_t i = 0; i < count; ++i) {
        const float lambda = queries.lambdas[i];
        // Without a second query the first is alone to the bit.
        for (std::size_t j = i * end_; j < (i + 1) * end_ && lambda != 0; ++j)
          weights_[j] -= lambda * others_[j];
      }
    }
    transformer::multiply({weights_.data(), count, end_, end_}, {values_.data(), end_, d_, d_},
                          {out, count, d_, d_});
  }

  const MemoryState& state() const override { return memory_->state(); }
  transformer::CacheEvents events() const override { return {key_events_, value_events_, {}}; }
  transformer::MemoryCounts counts() const override { return life_.counts(); }
  double bytes() const override {
    return static_cast<double>(memory_bytes(head_.memory, head_.parameters.head_dim,
                                            static_cast<int>(records_.stored_bytes())));
  }

 private:
  bool has_records() const { return head_.memory.store == MemoryStore::records; }

  void elements(const float* row, const char* name, std::size_t token, std::uint16_t* to) const {
    if (!to_elements(row, d_, ElementFormat::fp16, to))
      reject(site_, name, token, row, d_, fits_half, kAdvice);
  }

  /// Forms the rows of all slots anew.
  void take_over() {
    life_.begin(state());
    end_ = 0;
    values_.assign(slots_ * d_, 0);
    keys_.assign(has_records() ? 0 : slots_ * d_, 0);
    decoded_.assign(has_records() ? slots_ * records_.record_bytes() : 0, 0);
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      if (state().labels[slot] == SlotLabel::free) continue;
      end_ = slot + 1;
      read_slot(slot);
    }
  }

  /// Rows of a slot as queries read them.
  void read_slot(std::size_t slot) {
    const MemoryState& s = state();
    float* const value = &values_[slot * d_];
    switch (head_.memory.store) {
      case MemoryStore::records: {
        const std::size_t bytes = records_.stored_bytes();
        std::copy_n(records_.read(&s.key_records[slot * bytes]), records_.record_bytes(),
                    &decoded_[slot * records_.record_bytes()]);
        if (s.labels[slot] == SlotLabel::summary)
          from_halves(&s.masters[slot * d_], d_, value);
        else
          units_->dequantize(records_.dequantizer(), records_.read(&s.value_records[slot * bytes]),
                             value);
        return;
      }
      case MemoryStore::fp16:
        from_halves(&s.keys[slot * d_], d_, &keys_[slot * d_]);
        from_halves(&s.values[slot * d_], d_, value);
        return;
      case MemoryStore::f32:
        std::copy_n(&s.wide_keys[slot * d_], d_, &keys_[slot * d_]);
        std::copy_n(&s.wide_values[slot * d_], d_, value);
        return;
    }
  }

  /// Softmax of the scores of queries over the slots that they see: [count, end_], 0 for others.
  void weigh(const float* rows, const transformer::TokenQueries& queries, float* weights) {
    const std::size_t count = queries.count;
    if (has_records())
      for (std::size_t i = 0; i < count; ++i) score_records(rows + i * d_, weights + i * end_);
    else
      transformer::multiply_transposed({rows, count, d_, d_}, {keys_.data(), end_, d_, d_},
                                       {weights, count, end_, end_});
    const auto scale = static_cast<float>(queries.scale);
    for (std::size_t i = 0; i < count; ++i) {
      float* const row = weights + i * end_;
      if (gate_bias_) add_gate_bias(row, scale);
      for (const std::size_t slot : hidden_) row[slot] = -std::numeric_limits<float>::infinity();
      transformer::softmax(row, end_, scale);
      for (const std::size_t slot : hidden_) row[slot] = 0;
    }
  }

  /// Slots below end_ that queries do not see.
  void find_hidden(std::size_t oldest) {
    const MemoryState& s = state();
    hidden_.clear();
    for (std::size_t slot = 0; slot < end_; ++slot)
      if (s.labels[slot] == SlotLabel::free || static_cast<std::size_t>(s.positions[slot]) < oldest)
        hidden_.push_back(slot);
  }

  /// B[G] of landmarks (bit-contract.md#memory-attend); softmax multiplies by `scale`.
  void add_gate_bias(float* scores, float scale) const {
    const MemoryState& s = state();
    for (std::size_t slot = 0; slot < end_; ++slot)
      if (s.labels[slot] == SlotLabel::exact) scores[slot] += gate_bias()[s.gates[slot]] / scale;
  }

  /// score * score_scale of all slots (bit-contract.md#read-5).
  void score_records(const float* query, float* scores) {
    elements(query, "query", static_cast<std::size_t>(state().tokens - 1), key_.data());
    datapath_.round(key_.data(), &query_);
    datapath_.score(query_, decoded_.data(), end_, scores);
    const double factor = head_.rom->score_scale;
    for (std::size_t slot = 0; slot < end_; ++slot)
      scores[slot] = static_cast<float>(static_cast<double>(scores[slot]) * factor);
  }

  /// Bit errors of a record that is written, at the place of its token
  /// (bit-contract.md#memory-errors).
  void corrupt(bool values, std::int32_t position, std::uint8_t* stored) {
    transformer::MemoryEvents& events = values ? value_events_ : key_events_;
    code_->decode(stored, before_.data(), statuses_.data());
    if (threshold_ != 0) {
      FaultSite site = site_.fault_site();
      site.value = values;
      site.seed = faults_.seed;
      site.trial = sequence_;
      site.token = static_cast<std::uint32_t>(position);
      units_->fault_mask(site, code_->stored_bits(), threshold_, mask_.data());
      for (std::size_t i = 0; i < mask_.size(); ++i) {
        stored[i] = static_cast<std::uint8_t>(stored[i] ^ mask_[i]);
        events.injected += static_cast<std::uint64_t>(std::popcount(mask_[i]));
      }
    }
    const DecodeCounts counts = code_->decode(stored, data_.data(), statuses_.data());
    code_->count(before_.data(), data_.data(), counts, statuses_.data(), &events);
  }

  CacheSite site_;
  MemoryHead head_;
  std::shared_ptr<const RowCode> code_;
  const UnitTable* units_;
  MemoryRecords records_;  ///< reads
  Datapath datapath_;      ///< of queries
  Faults faults_;
  std::uint64_t threshold_;
  bool gate_bias_;
  std::size_t d_, slots_;
  std::uint32_t sequence_ = 0;
  std::unique_ptr<TokenMemory> memory_;
  MemoryLife life_;
  transformer::MemoryEvents key_events_, value_events_;

  std::size_t end_ = 0;  ///< slots from here on were never used
  std::vector<std::size_t> hidden_;
  std::vector<float> keys_, values_;   ///< [S, d]; keys_ without records
  std::vector<std::uint8_t> decoded_;  ///< key records as read; with records
  std::vector<std::uint16_t> key_, value_;
  QueryResult query_;
  std::vector<float> weights_, others_;
  std::vector<std::uint8_t> mask_, before_, data_, statuses_;  ///< of one record
};

}  // namespace

std::unique_ptr<transformer::HeadMemory> slot_memory(const MemorySetup& setup,
                                                     std::shared_ptr<const RowCode> code,
                                                     const UnitTable& units,
                                                     const CacheSite& site) {
  return std::make_unique<SlotMemory>(setup, std::move(code), units, site);
}

}  // namespace axelram::caches
