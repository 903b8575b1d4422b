#include "axelram/transformer/kv_cache.hpp"

namespace axelram::transformer {

MemoryCounts& MemoryCounts::operator+=(const MemoryCounts& other) {
  evicted += other.evicted;
  gated_out += other.gated_out;
  novel += other.novel;
  hits += other.hits;
  between += other.between;
  displaced += other.displaced;
  spawned += other.spawned;
  merged += other.merged;
  freed += other.freed;
  lives += other.lives;
  sequences += other.sequences;
  used += other.used;
  return *this;
}

CacheEvents& CacheEvents::operator+=(const CacheEvents& other) {
  keys += other.keys;
  values += other.values;
  if (memories.size() < other.memories.size()) memories.resize(other.memories.size());
  for (std::size_t i = 0; i < other.memories.size(); ++i) memories[i] += other.memories[i];
  return *this;
}

}  // namespace axelram::transformer
