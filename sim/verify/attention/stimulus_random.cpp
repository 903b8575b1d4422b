#include <algorithm>

#include "axelram/rtl/layout.hpp"
#include "axelram/run/script.hpp"
#include "verify/attention/stimulus.hpp"

namespace axelram::sim {

/// Out of range in one field.
void AttentionStimulus::bad_allocation() {
  const auto places = static_cast<std::uint32_t>(config_.max_keys);
  const auto rotations = static_cast<std::uint32_t>(config_.store.rotations);
  const auto segments = static_cast<std::uint32_t>(config_.store.segments);
  const std::uint32_t segment = below(segments_);
  switch (below(4)) {
    case 0:
      return take({Kind::allocate, segment, {0, 0, 0, 0, false}});
    case 1:
      return take({Kind::allocate, segment, {places, 1, 0, 0, false}});
    case 2:
      return take({Kind::allocate, segment, {0, 1, 2, 0, false}});
    default:
      // Numbers have 8 bits.
      if (rotations < 256 && (segments == 256 || below(2) == 0))
        return take({Kind::allocate, segment, {0, 1, 0, rotations, false}});
      if (segments < 256) return take({Kind::allocate, segments, {0, 1, 0, 0, false}});
  }
}

void AttentionStimulus::random_command(std::uint32_t segment) {
  const std::uint32_t longest = std::min(share_, kLongest);
  switch (below(12)) {
    case 0:
    case 1:
      return take({Kind::free, segment});
    case 2:
      return bad_allocation();
    case 3:
      script_.steps.emplace_back(run::attention_step::Bad{below(2) == 0});
      return;
    case 4:
    case 5:
    case 6:
      return take({Kind::evict, segment, {}, below(longest + 1)});
    default: {
      const std::uint32_t capacity = 1 + below(longest);
      if (below(2) == 0) take({Kind::free, segment});
      return allocate(segment, capacity, std::min(below(6), capacity), below(3) != 0);
    }
  }
}

run::AttentionScript AttentionStimulus::random(std::size_t steps) {
  begin();
  const std::uint32_t longest = std::min(share_, kLongest);
  for (std::uint32_t s = 0; s < segments_; ++s)
    allocate(s, longest, std::min(s % 3, longest), s % 2 == 0);
  const auto any = [&] {
    if (below(40) != 0) return vectors_.any();
    const std::vector<Vector> bad = vectors_.rejected();
    return bad[below(bad.size())];
  };
  const bool loads = config_.store.rotation_memory == files::RotationMemory::ram;
  while (script_.steps.size() < steps) {
    const std::uint32_t segment = below(segments_);
    if (loads && below(20) == 0) load_rotation(vectors_.any());
    const std::uint32_t dice = below(100);
    if (dice < 14)
      random_command(segment);
    else if (dice < 15)
      script_.steps.emplace_back(run::attention_step::Clear{});
    else if (dice < 16)
      script_.steps.emplace_back(run::attention_step::ClearErrors{});
    else if (dice < 34)
      group(segment, {any()}, below(4) == 0);
    else
      append(segment, any(), any());
  }
  return end();
}

run::AttentionScript AttentionStimulus::held() {
  begin();
  const std::uint32_t capacity = std::min(share_, 40U);
  const auto places = static_cast<std::uint32_t>(rtl::Layout(config_).fifo_depth);
  allocate(0, capacity, 0, true);
  for (const bool scores : {false, true}) {
    for (std::uint32_t t = 0; t < (scores ? capacity : 3); ++t)
      append(0, vectors_.any(), vectors_.any());
    script_.steps.emplace_back(run::attention_step::Hold{10'000});
    group(0, {}, scores);
    // As many scores as the FIFO has places for, and more.
    for (std::uint32_t read = capacity; scores && read <= places; read += capacity)
      group(0, {}, true);
    for (int t = 0; t < 5; ++t) append(0, vectors_.any(), vectors_.any());
    take({Kind::evict, 0, {}, 2});
    if (segments_ > 1) allocate(1, 1, 0, false);
    append(0, vectors_.any(), vectors_.any());
    group(0, {});
    if (segments_ > 1) take({Kind::free, 1});
    append(0, vectors_.any(), vectors_.any());
    group(0, {}, true);
    group(0, {});
    script_.steps.emplace_back(run::attention_step::Clear{});
    group(0, {});
  }
  return end();
}

/// Any signs for any row, and a center and exponents if the macro has any.
void AttentionStimulus::load_rotation(Vector center) {
  run::attention_step::LoadRotation load{below(static_cast<std::size_t>(config_.store.rotations)),
                                         {}};
  for (int i = 0; i < config_.parameters.head_dim; ++i)
    load.rotation.rotation.signs.push_back(below(2) == 0 ? 1 : -1);
  for (int i = 0; config_.parameters.balanced && i < config_.parameters.head_dim; ++i)
    load.rotation.rotation.balance.push_back(
        static_cast<std::int8_t>(kLeastExponent + static_cast<int>(below(16))));
  if (config_.parameters.centered) load.rotation.center = std::move(center);
  script_.steps.emplace_back(std::move(load));
}

run::AttentionScript AttentionStimulus::rotations() {
  begin();
  const std::uint32_t capacity = std::min(share_, 4U);
  for (std::uint32_t s = 0; s < segments_; ++s) allocate(s, capacity, 0, true);
  for (const Vector& center : vectors_.corners()) {
    const std::uint32_t segment = below(segments_);
    append(segment, vectors_.gaussian(1), vectors_.any());
    load_rotation(center);
    append(segment, vectors_.gaussian(1), vectors_.any());
    group(segment, {vectors_.gaussian(1)});
    load_rotation(vectors_.gaussian(1));
    group(segment, {vectors_.gaussian(1)}, below(2) == 0);
  }
  return end();
}

run::AttentionScript AttentionStimulus::scales() {
  begin();
  const std::uint32_t capacity = std::min(share_, 8U);
  allocate(0, capacity, 0, false);
  for (std::uint32_t t = 0; t < capacity; ++t) append(0, vectors_.gaussian(1), vectors_.any());
  const double own = config_.attention.parameters.scale;
  for (const double factor : {1.0, 0.3, 3.7, 1e-6, 1e4, 1.0}) {
    script_.steps.emplace_back(run::attention_step::LoadScale{own * factor});
    group(0, {vectors_.gaussian(1)});
  }
  return end();
}

}  // namespace axelram::sim
