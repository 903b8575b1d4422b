#include "memory_sequence.hpp"

#include <algorithm>
#include <stdexcept>

#include "axelram/caches/cache.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::commands {

caches::Specification specification_of(const std::string& cache) {
  return caches::parse_specification(cache.empty() ? "memory" : cache);
}

caches::Memory memory_named(const std::string& cache) {
  const caches::Specification specification = specification_of(cache);
  if (const caches::Memory* const memory = caches::memory_of(specification)) return *memory;
  throw files::InputError("cache " + files::in_quotes(cache) +
                          " keeps all tokens and is no state; use memory:...");
}

caches::MemorySetup setup_of(const checkpoints::Checkpoint& checkpoint, const std::string& cache) {
  return {memory_named(cache), caches::shape_of(checkpoint)};
}

void check_begin(bool bos, const std::string& from) {
  if (bos && !from.empty())
    throw files::InputError(
        "--bos begins a text, and --from goes on with one; leave one of both out");
}

files::MemoryFile read_state(const std::string& path, const caches::MemorySetup& setup,
                             const checkpoints::Checkpoint& checkpoint, const std::string& digest) {
  const checkpoints::Architecture& a = checkpoint.architecture;
  try {
    return files::read_memory_file(path, setup.identity(digest), a.layers, a.kv_heads, a.hidden,
                                   static_cast<std::int64_t>(a.max_positions));
  } catch (const files::OtherMemoryError& error) {
    throw files::InputError(std::string(error.what()) +
                            "; the file was changed, or --cache does not name its memory");
  }
}

files::MemoryFile read_state(const std::string& path, const std::string& cache,
                             const checkpoints::Checkpoint& checkpoint) {
  return read_state(path, setup_of(checkpoint, cache), checkpoint,
                    checkpoints::identity_of(checkpoint.path));
}

MemorySequence::MemorySequence(const checkpoints::Checkpoint& checkpoint, const std::string& cache,
                               const std::string& from, std::size_t threads)
    : checkpoint_(checkpoint),
      digest_(checkpoints::identity_of(checkpoint.path)),
      setup_(setup_of(checkpoint, cache)),
      cache_(caches::make_cache(setup_)),
      workers_(threads),
      model_(checkpoint, workers_),
      session_(model_, *cache_),
      hidden_(checkpoint.architecture.hidden) {
  if (from.empty()) return;
  files::MemoryFile file = read_state(from, setup_, checkpoint, digest_);
  session_.load(0, std::move(file.states));
  hidden_ = std::move(file.hidden);
}

void MemorySequence::read(std::span<const std::int32_t> ids, std::size_t chunk) {
  const std::size_t width = hidden_.size();
  transformer::check({ids, 0}, checkpoint_.architecture, tokens());
  for (std::size_t first = 0; first < ids.size(); first += chunk) {
    const transformer::Sequence some = {ids.subspan(first, std::min(chunk, ids.size() - first)), 0};
    const std::vector<float> hidden = session_.step({&some, 1});
    hidden_.assign(hidden.end() - static_cast<std::ptrdiff_t>(width), hidden.end());
  }
}

std::int32_t MemorySequence::next() const {
  if (tokens() == 0) throw std::logic_error("no token yet");
  std::vector<float> logits(checkpoint_.architecture.vocabulary);
  model_.logits(hidden_.data(), 1, logits.data());
  return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

double MemorySequence::bytes() const {
  const checkpoints::Architecture& a = checkpoint_.architecture;
  return cache_->memory(0, 0)->bytes() * static_cast<double>(a.layers * a.kv_heads);
}

files::MemoryFile MemorySequence::state() const {
  const checkpoints::Architecture& a = checkpoint_.architecture;
  return {setup_.identity(digest_), a.layers, a.kv_heads, static_cast<std::int64_t>(tokens()),
          session_.states(0),       hidden_};
}

}  // namespace axelram::commands
