#include "verify/attention/stimulus.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "axelram/half.hpp"
#include "axelram/run/script.hpp"

namespace axelram::sim {
namespace {

double decode(std::uint16_t element, ElementFormat format) {
  if (format == ElementFormat::fp16) return half_to_double(element);
  return std::bit_cast<float>(static_cast<std::uint32_t>(element) << 16);
}

}  // namespace

AttentionStimulus::AttentionStimulus(const files::Config& config, std::uint64_t seed)
    : config_(config),
      vectors_(config, seed),
      segments_(static_cast<std::uint32_t>(std::min(config.store.segments, config.max_keys))),
      share_(static_cast<std::uint32_t>(config.max_keys) / segments_),
      group_(static_cast<std::size_t>(config.attention.parameters.group)) {}

void AttentionStimulus::begin() {
  script_ = {};
  script_.vectors.element_format = config_.parameters.element_format;
  script_.vectors.head_dim = config_.parameters.head_dim;
  script_.vectors.values.emplace();
}

run::AttentionScript AttentionStimulus::end() { return std::move(script_); }

void AttentionStimulus::take(const files::SegmentCommand& command) {
  script_.steps.emplace_back(run::attention_step::Take{command});
}

/// At the end of the segment's share of the places.
void AttentionStimulus::allocate(std::uint32_t segment, std::uint32_t capacity, std::uint32_t sinks,
                                 bool wrap) {
  const std::uint32_t last = segment + 1 == segments_ ? static_cast<std::uint32_t>(config_.max_keys)
                                                      : (segment + 1) * share_;
  const std::uint32_t rotation = below(static_cast<std::size_t>(config_.store.rotations));
  take({Kind::allocate, segment, {last - capacity, capacity, sinks, rotation, wrap}});
}

void AttentionStimulus::reallocate(std::uint32_t segment, std::uint32_t capacity) {
  take({Kind::free, segment});
  allocate(segment, capacity, 0, false);
}

void AttentionStimulus::append(std::uint32_t segment, const Vector& key, const Vector& value) {
  take({Kind::append, segment});
  files::Trace& trace = script_.vectors;
  trace.keys.insert(trace.keys.end(), key.begin(), key.end());
  trace.values->insert(trace.values->end(), value.begin(), value.end());
}

void AttentionStimulus::group(std::uint32_t segment, std::vector<Vector> queries, bool scores) {
  if (scores)
    script_.steps.emplace_back(run::attention_step::Score{segment});
  else
    take({Kind::attend, segment});
  while (queries.size() < group_) queries.push_back(vectors_.any());
  queries.resize(group_);
  std::vector<std::uint16_t>& all = script_.vectors.queries;
  for (const Vector& query : queries) all.insert(all.end(), query.begin(), query.end());
}

run::AttentionScript AttentionStimulus::plain(std::size_t tokens, std::size_t groups) {
  begin();
  take({Kind::allocate, 0, {0, static_cast<std::uint32_t>(config_.max_keys)}});
  for (std::size_t t = 0; t < tokens; ++t) append(0, vectors_.any(), vectors_.any());
  for (std::size_t q = 0; q < groups; ++q) group(0, {});
  return end();
}

run::AttentionScript AttentionStimulus::directed() {
  begin();
  const std::vector<Vector> good = vectors_.corners(), bad = vectors_.rejected();
  for (int i = 0; i < 12; ++i) bad_allocation();
  for (const bool item : {true, false}) script_.steps.emplace_back(run::attention_step::Bad{item});
  const std::uint32_t capacity = std::min(share_, 8U);
  allocate(0, capacity, 0, false);
  for (const bool scores : {false, true}) group(0, {good.back()}, scores);  // nothing stored yet
  append(0, vectors_.gaussian(1), vectors_.gaussian(1));
  for (const Vector& rejected : bad) {
    append(0, rejected, good.front());
    append(0, good.front(), rejected);
    append(0, rejected, rejected);
    // Scores are on their way when the next group is rejected.
    group(0, {vectors_.gaussian(1)}, true);
    group(0, {rejected});
    std::vector<Vector> queries(group_, good.back());
    queries.back() = rejected;
    group(0, queries);
    group(0, {good.front()});
  }
  reallocate(0, capacity);
  for (const Vector& rejected : bad) append(0, rejected, rejected);
  script_.steps.emplace_back(run::attention_step::ClearErrors{});
  append(0, good.front(), bad.front());
  append(0, good.front(), good.back());
  group(0, {good.back()});
  reallocate(0, capacity);
  for (const Vector& corner : good) {
    append(0, vectors_.any(), corner);
    group(0, {corner});
    if (capacity > 1) append(0, corner, vectors_.any());
    group(0, {corner});
    reallocate(0, capacity);
  }
  for (const double ratio : {0.0, 0.02, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3}) {
    append(0, vectors_.any(), nearly_one_hot(ratio));
    group(0, {});
    reallocate(0, capacity);
  }
  std::uint32_t stored = 0;
  for (const Vector& corner : good) {
    if (stored++ % capacity == 0) reallocate(0, capacity);
    append(0, corner, corner);
    group(0, {corner});
  }
  reallocate(0, 1);
  for (int i = 0; i < 2; ++i) append(0, good.front(), good.back());  // the second finds it full
  group(0, std::vector<Vector>(group_, good.back()));
  return end();
}

/// The largest norm, nearly all of it in one element. The rounding of its rotated elements, which
/// lie around two magnitudes, can make that element larger than it was.
Vector AttentionStimulus::nearly_one_hot(double ratio) const {
  Vector vector = vectors_.filled(0);
  const double largest = 65504 / std::sqrt(1 + ratio * ratio);
  vector[0] = vectors_.encode(largest);
  vector[1] = vectors_.encode(ratio * largest);
  return vector;
}

Vector AttentionStimulus::scaled(const Vector& vector, double factor) const {
  Vector result = vector;
  for (std::uint16_t& element : result)
    element = vectors_.encode(decode(element, config_.parameters.element_format) * factor);
  return result;
}

run::AttentionScript AttentionStimulus::maxima() {
  begin();
  const std::uint32_t count = std::min(share_, kLongest);
  const Vector zero = vectors_.filled(0);
  allocate(0, count, 0, false);
  const auto factors = [&](double (*of)(double t, double count)) {
    reallocate(0, count);
    const Vector direction = vectors_.gaussian(1);
    for (std::uint32_t t = 0; t < count; ++t)
      append(0, scaled(direction, of(t, count)), vectors_.any());
    group(0, {direction, scaled(direction, -1)});
  };
  factors([](double t, double) { return 1 + t; });
  factors([](double t, double n) { return n - t; });
  factors([](double, double) { return 1.0; });
  factors([](double t, double) { return t == 0 ? 30.0 : 0.01; });
  factors([](double t, double n) { return t + 1 == n ? 30.0 : 0.01; });
  factors([](double t, double) { return t * t; });
  // Zero values: the first, the last, every one but the middle, every one.
  for (int zeros = 0; zeros < 4; ++zeros) {
    reallocate(0, count);
    for (std::uint32_t t = 0; t < count; ++t) {
      const bool is_zero = zeros == 0   ? t == 0
                           : zeros == 1 ? t + 1 == count
                           : zeros == 2 ? t != count / 2
                                        : true;
      append(0, vectors_.gaussian(1), is_zero ? zero : vectors_.gaussian(1));
    }
    group(0, {vectors_.gaussian(1)});
  }
  return end();
}

}  // namespace axelram::sim
