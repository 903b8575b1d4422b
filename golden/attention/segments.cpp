#include "axelram/segments.hpp"

#include <algorithm>

namespace axelram {

Segments::Segments(std::size_t segments, std::size_t rotations, std::size_t max_keys)
    : segments_(segments), rotations_(rotations), max_keys_(max_keys) {}

const Segment* Segments::find(std::size_t segment) const {
  if (segment >= segments_.size() || segments_[segment].capacity == 0) return nullptr;
  return &segments_[segment];
}

bool Segments::allocate(std::size_t segment, const Allocation& a) {
  if (segment >= segments_.size() || segments_[segment].capacity != 0) return false;
  if (a.capacity == 0 || a.sinks > a.capacity || a.rotation >= rotations_) return false;
  if (std::uint64_t{a.base} + a.capacity > max_keys_) return false;
  segments_[segment] = {a.base, a.capacity, a.sinks, a.rotation, a.wrap};
  return true;
}

bool Segments::evict(std::size_t segment, std::size_t n) {
  if (find(segment) == nullptr) return false;
  Segment& of = segments_[segment];
  if (of.count <= of.sinks) return true;
  const auto forgotten = static_cast<std::uint32_t>(std::min<std::size_t>(n, of.count - of.sinks));
  of.start = (of.start + forgotten) % of.ring();
  of.count -= forgotten;
  return true;
}

bool Segments::free(std::size_t segment) {
  if (find(segment) == nullptr) return false;
  segments_[segment] = {};
  return true;
}

void Segments::clear() {
  for (Segment& segment : segments_) segment.start = segment.count = 0;
}

Segments::Append Segments::append(std::size_t segment, std::uint32_t* place) {
  if (find(segment) == nullptr) return Append::bad_segment;
  Segment& of = segments_[segment];
  if (of.count < of.capacity) {
    ++of.count;
  } else {
    if (!of.wrap || of.ring() == 0) return Append::full;
    of.start = (of.start + 1) % of.ring();
  }
  *place = of.place(of.count - 1);
  return Append::stored;
}

std::optional<std::size_t> Segments::overlapping(std::size_t segment, const Allocation& a) const {
  for (std::size_t other = 0; other < segments_.size(); ++other) {
    const Segment& of = segments_[other];
    if (other != segment && of.capacity != 0 && a.base < of.base + of.capacity &&
        of.base < a.base + a.capacity)
      return other;
  }
  return {};
}

}  // namespace axelram
