#include "test_bench_trace.hpp"

#include <algorithm>
#include <bit>

#include "axelram/attention_macro.hpp"
#include "generator_internal.hpp"
#include "test_bench_parts.hpp"

namespace axelram::rtl {
namespace {

constexpr std::size_t kTokens = 20, kGroupsBeforeNan = 4;

class Writer {
 public:
  Writer(const files::Config& config, BenchTrace* to)
      : to_(*to),
        config_(config),
        group_(static_cast<std::size_t>(config.attention.parameters.group)),
        lanes_(static_cast<std::size_t>(config.microarchitecture.key_lanes)),
        vectors_(
            config.parameters,
            {9, static_cast<std::uint32_t>(2 * kTokens + (kGroupsBeforeNan + 1) * group_ - 1)}),
        macro_(config.parameters, config.attention.parameters, files::rotation_rows(config),
               static_cast<std::size_t>(config.store.segments),
               static_cast<std::size_t>(config.max_keys), files::protection(config.ecc)) {
    const auto used =
        static_cast<std::uint32_t>(std::min({2, config.store.segments, config.max_keys}));
    const std::uint32_t share = static_cast<std::uint32_t>(config.max_keys) / used;
    const std::uint32_t capacity = std::min(share, 9U), last = used - 1;
    allocate(0, {0, capacity, std::min(1U, capacity), 0, true});
    if (used > 1)
      allocate(1,
               {share, capacity, 0, static_cast<std::uint32_t>(config.store.rotations) - 1, false});
    allocate(0, {0, 1, 0, 0, false});  // rejected: the segment is taken
    for (std::uint32_t token = 0; token < kTokens; ++token) {
      append(token % used);
      if (token == 5) query(0, true);
      if (token != 11) continue;
      evict(0, 2);
      query(0, false);
    }
    query(last, true);
    query(0, true);
    query(0, true);  // rejected: it has the NaN
    evict(last, static_cast<std::uint32_t>(config.max_keys));
    query(last, true);
    free(last);
    query(last, true);  // rejected: the segment is free
    const AttentionCounters& c = macro_.counters();
    to_.counts = {c.tokens_nonfinite,  c.groups_nonfinite, c.tokens_full,
                  c.norms_saturated,   c.scores_saturated, c.logits_saturated,
                  c.outputs_saturated, c.bad_commands,     c.scales_refused};
  }

 private:
  void add(int command, unsigned kind, std::uint32_t segment, const Allocation& fields,
           std::uint32_t n, const std::string& elements) {
    to_.operations += hex(static_cast<std::uint64_t>(command), 4) + hex(kind, 4) + hex(segment, 8) +
                      hex(fields.rotation, 8) + hex(fields.wrap ? 1 : 0, 4) + hex(fields.base, 32) +
                      hex(fields.capacity, 32) + hex(fields.sinks, 32) + hex(n, 32) + elements +
                      "\n";
    ++to_.operation_count;
  }
  void command(unsigned kind, std::uint32_t segment, const Allocation& fields, std::uint32_t n) {
    add(1, kind, segment, fields, n, std::string(4 * lanes_, '0'));
  }
  void allocate(std::uint32_t segment, const Allocation& allocation) {
    command(0, segment, allocation, 0);
    macro_.allocate(segment, allocation);
  }
  void evict(std::uint32_t segment, std::uint32_t n) {
    command(1, segment, {}, n);
    macro_.evict(segment, n);
  }
  void free(std::uint32_t segment) {
    command(2, segment, {}, 0);
    macro_.free(segment);
  }

  std::vector<std::uint16_t> beats(unsigned kind, std::uint32_t segment) {
    std::vector<std::uint16_t> elements = vectors_.next();
    for (std::size_t first = 0; first < elements.size(); first += lanes_)
      add(0, kind, segment, {}, 0, hex_of(elements.data() + first, lanes_));
    return elements;
  }
  void append(std::uint32_t segment) {
    const std::vector<std::uint16_t> key = beats(0, segment), value = beats(0, segment);
    macro_.append(segment, key.data(), value.data());
  }
  void query(std::uint32_t segment, bool attends) {
    std::vector<std::uint16_t> queries;
    for (std::size_t g = 0; g < group_; ++g) {
      const std::vector<std::uint16_t> one = beats(attends ? 1 : 2, segment);
      queries.insert(queries.end(), one.begin(), one.end());
    }
    ++to_.groups;
    const GroupResult result =
        attends ? macro_.attend(segment, queries.data()) : macro_.score(segment, queries.data());
    if (result.status != ItemStatus::done) return;
    if (!attends) add_scores(result);
    for (const AttentionResult& output : result.outputs) add_output(output);
  }

  void add_scores(const GroupResult& result) {
    for (std::size_t t = 0; t < result.places.size(); ++t) {
      to_.scores += hex(t + 1 == result.places.size(), 4);
      for (std::size_t g = group_; g-- > 0;)
        to_.scores += hex(std::bit_cast<std::uint32_t>(result.queries[g].scores[t]), 32);
      to_.scores += "\n";
      ++to_.score_count;
    }
  }
  void add_output(const AttentionResult& output) {
    const auto lanes = static_cast<std::size_t>(config_.attention.output_lanes);
    const int bits = config_.attention.parameters.output == OutputFormat::fp16 ? 16 : 32;
    for (std::size_t first = 0; first < output.outputs.size(); first += lanes) {
      to_.outputs += hex(first + lanes == output.outputs.size(), 4) +
                     hex(static_cast<std::uint16_t>(output.maximum), 16) +
                     hex(output.denominator, 64);
      for (std::size_t i = lanes; i-- > 0;) to_.outputs += hex(output.outputs[first + i], bits);
      to_.outputs += "\n";
      ++to_.output_count;
    }
  }

  BenchTrace& to_;
  const files::Config& config_;
  std::size_t group_, lanes_;
  BenchVectors vectors_;
  AttentionMacro macro_;
};

}  // namespace

BenchTrace::BenchTrace(const files::Config& config) { Writer(config, this); }

}  // namespace axelram::rtl
