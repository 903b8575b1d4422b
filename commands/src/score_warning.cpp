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

/// Whether a cache changes keys at all.
bool is_exact(const Specification& cache) {
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

/// The keys of a cache as queries see them; none of a memory without records.
std::unique_ptr<transformer::KvCache> keys_of(const Specification& cache,
                                              const caches::Shape& shape) {
  const caches::Memory* const memory = caches::memory_of(cache);
  if (memory == nullptr) return caches::make_cache(without_faults(cache), shape);
  const caches::MemorySetup setup(*memory, shape);
  if (setup.parameters().store != MemoryStore::records) return nullptr;
  return caches::make_cache(setup.records());
}

}  // namespace

void warn_of_noise(const ModelOptions& options, const checkpoints::Checkpoint& checkpoint,
                   const tokens::TokenText& text, std::span<const Specification> caches,
                   const Progress& progress) {
  if (std::all_of(caches.begin(), caches.end(), is_exact)) return;
  const std::size_t window =
      std::min({kTokens, text.columns, text.ids.size(), checkpoint.architecture.max_positions});
  const auto windows = calibration::consecutive_windows(text, window, window);
  // Keys beyond FP16 are for the cache itself to reject.
  KeySource source(options.threads, checkpoint, windows, ElementFormat::bf16, progress);
  calibration::Queries queries;
  try {
    const calibration::Keys keys = calibration::collect_keys(source.get(), &queries);
    for (const Specification& cache : caches) {
      if (is_exact(cache)) continue;
      const auto made = keys_of(cache, caches::shape_of(checkpoint));
      if (!made || made->keys_before_rotary()) continue;
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
