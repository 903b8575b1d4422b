#pragma once

#include <chrono>

#include "axelram/caches/cache.hpp"
#include "axelram/engines/engine.hpp"
#include "axelram/unit_table.hpp"

namespace axelram::engines {

/// Stored bytes between calls after the longest of the windows.
CacheBytes bytes_of(const transformer::KvCache& cache, const caches::Shape& shape,
                    const std::vector<perplexity::Window>& windows);

/// The transformer on the CPU with these caches, the baseline first.
PerplexityModel model_on_cpu(const PerplexityRequest& request,
                             std::vector<std::unique_ptr<transformer::KvCache>> caches);

std::vector<std::uint8_t> encode_on_cpu(const EncodeRequest& request, const UnitTable& units);

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace axelram::engines
