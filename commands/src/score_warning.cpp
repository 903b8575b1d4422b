#include "score_warning.hpp"

#include <algorithm>
#include <cstdio>

#include "axelram/caches/cache.hpp"
#include "axelram/caches/memory_setup.hpp"
#include "axelram/calibration/predicted_noise.hpp"
#include "axelram/calibration/windows.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/notes.hpp"
#include "key_source.hpp"

namespace axelram::commands {
namespace {

using caches::Specification;

constexpr std::size_t kTokens = 128;

/// True if a cache leaves keys as they are, as a memory without records does.
bool is_exact(const Specification& cache, const caches::Shape& shape) {
  if (const caches::Memory* const memory = caches::memory_of(cache))
    return caches::MemorySetup(*memory, shape).parameters().store != MemoryStore::records;
  return std::holds_alternative<caches::Float32>(cache.keys) ||
         std::holds_alternative<caches::Float16>(cache.keys);
}

Specification without_faults(Specification cache) {
  for (caches::RowSpecification* row : {&cache.keys, &cache.values})
    std::visit(
        [](auto& one) {
          if constexpr (requires { one.faults; }) one.faults = {};
        },
        *row);
  return cache;
}

std::string line_of(const ModelOptions& options, const Specification& cache, std::size_t layer,
                    std::size_t head, double noise) {
  char figures[64];
  std::snprintf(figures, sizeof figures, "err by %.3g nats (a model fails at %.3g)", noise,
                calibration::kFailingNoise);
  return "cache " + files::in_quotes(caches::to_string(cache)) + ": scores of layer " +
         std::to_string(layer) + ", KV head " + std::to_string(head) + " " + figures +
         "; find a cache that this model bears: axelram tune " + files::printable(options.model) +
         " " + (options.text.empty() ? "TEXT" : files::printable(options.text)) + " -o DIR";
}

/// Makes the cache, or the records of a memory, without bit errors.
std::unique_ptr<transformer::KvCache> keys_of(const Specification& cache,
                                              const caches::Shape& shape) {
  if (const caches::Memory* const memory = caches::memory_of(cache))
    return caches::make_cache(caches::MemorySetup(*memory, shape).records());
  return caches::make_cache(without_faults(cache), shape);
}

}  // namespace

void warn_of_noise(const ModelOptions& options, const checkpoints::Checkpoint& checkpoint,
                   const tokens::TokenText& text, std::span<const Specification> caches,
                   const Progress& progress) {
  const caches::Shape shape = caches::shape_of(checkpoint);
  const auto exact = [&](const Specification& cache) { return is_exact(cache, shape); };
  if (std::all_of(caches.begin(), caches.end(), exact)) return;
  const std::size_t window =
      std::min({kTokens, text.columns, text.ids.size(), checkpoint.architecture.max_positions});
  const auto windows = calibration::consecutive_windows(text, window, window);
  // Keys beyond FP16 are for the cache itself to reject.
  KeySource source(options.threads, checkpoint, windows, ElementFormat::bf16, progress);
  calibration::Queries queries;
  try {
    const calibration::Keys keys = calibration::collect_keys(source.get(), &queries);
    for (const Specification& cache : caches) {
      if (exact(cache)) continue;
      const auto made = keys_of(cache, shape);
      if (made->keys_before_rotary()) continue;
      const std::vector<double> noise =
          calibration::predicted_noise(keys, queries, *made, {}, source.workers());
      const auto worst = std::max_element(noise.begin(), noise.end());
      if (!(*worst >= calibration::kFailingNoise)) continue;
      const auto pair = static_cast<std::size_t>(worst - noise.begin());
      files::note(line_of(options, cache, pair / keys.heads, pair % keys.heads, *worst));
    }
  } catch (const files::InputError&) {  // the run says more of it
  }
}

}  // namespace axelram::commands
