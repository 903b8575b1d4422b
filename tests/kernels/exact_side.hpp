#pragma once

#include <algorithm>
#include <vector>

#include "axelram/kernels/exact.hpp"
#include "cache_side.hpp"

namespace test {

/// Exact rows of a side of a cache, as a prefill in batches leaves them.
struct ExactSide {
  kernels::ExactRows rows;
  kernels::Buffer<std::uint16_t> elements;
  kernels::Buffer<std::int32_t> exponents;

  ExactSide() = default;
  /// Every token of the sequences passes through the ring, `batch` of a sequence at a time.
  ExactSide(kernels::Stream& stream, const CacheSide& side,
            const std::vector<std::int32_t>& lengths, int first, int last, std::int32_t ring,
            std::int32_t batch) {
    const std::int32_t heads = side.cache.pages.heads;
    rows = {heads, side.d(), first, last, last == 0 ? 0 : ring};
    const auto slots = lengths.size() * static_cast<std::size_t>(heads * (first + rows.ring));
    elements = kernels::Buffer<std::uint16_t>(slots * static_cast<std::size_t>(side.d()));
    elements.fill(stream, 0x7F);
    rows.elements = elements.data();
    if (!side.values) {
      exponents = kernels::Buffer<std::int32_t>(slots);
      rows.exponents = exponents.data();
    }
    const std::int32_t longest = *std::max_element(lengths.begin(), lengths.end());
    for (std::int32_t begin = 0; begin < longest; begin += batch)
      put(stream, side, lengths, begin, begin + batch);
  }

 private:
  void put(kernels::Stream& stream, const CacheSide& side, const std::vector<std::int32_t>& lengths,
           std::int32_t begin, std::int32_t end) {
    std::vector<std::int32_t> sequence, position, e;
    std::vector<std::uint16_t> all;
    for (std::size_t s = 0; s < lengths.size(); ++s)
      for (std::int32_t t = begin; t < std::min(end, lengths[s]); ++t) {
        sequence.push_back(static_cast<std::int32_t>(s));
        position.push_back(t);
        for (std::int32_t head = 0; head < rows.heads; ++head) {
          const CacheSide::Given& given = side.given.at({sequence.back(), t, head});
          if (side.values)
            all.insert(all.end(), given.elements.begin(), given.elements.end());
          else
            for (const std::int16_t h : given.copy.elements)
              all.push_back(static_cast<std::uint16_t>(h));
          e.push_back(given.copy.exponent);
        }
      }
    const kernels::Buffer<std::int32_t> d_sequence(stream, sequence), d_position(stream, position),
        d_exponents(stream, e);
    const kernels::Buffer<std::uint16_t> d_elements(stream, all);
    kernels::keep_exact(stream, rows, {d_sequence.data(), d_position.data(), sequence.size()},
                        d_elements.data(), side.values ? nullptr : d_exponents.data());
    stream.synchronize();
  }
};

}  // namespace test
