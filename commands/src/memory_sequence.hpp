#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "axelram/caches/memory_setup.hpp"
#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/files/memory_file.hpp"
#include "axelram/transformer/session.hpp"

namespace axelram::commands {

/// The cache of a text; "": a memory, as the checkpoint asks.
caches::Specification specification_of(const std::string& cache);

/// The memory that specification_of() names. Throws files::InputError for another cache.
caches::Memory memory_named(const std::string& cache);

/// The memories of a model. cache: a specification of a memory; "": the checkpoint's own, else the
/// default. A state never decides: its parameters are outside its digest
/// (bit-contract.md#memory-file), so that they are only ever compared.
caches::MemorySetup setup_of(const checkpoints::Checkpoint& checkpoint, const std::string& cache);

/// One sequence of a model whose cache is a memory of constant size: it reads ids, is saved, and
/// goes on from a state file.
class MemorySequence {
 public:
  /// cache: as setup_of() takes it. from: a state file, or "". The checkpoint must outlive the
  /// sequence.
  MemorySequence(const checkpoints::Checkpoint& checkpoint, const std::string& cache,
                 const std::string& from, std::size_t threads);

  /// Reads ids, `chunk` at a time. No result depends on it.
  void read(std::span<const std::int32_t> ids, std::size_t chunk);
  std::size_t tokens() const { return session_.tokens(0); }
  /// The most likely next id, of equal ones the least. There must be a token.
  std::int32_t next() const;
  /// As caches::MemorySetup::parameters().
  const MemoryParameters& memory() const { return setup_.parameters(); }
  /// Bytes of all memories together (bit-contract.md#memory-bytes).
  double bytes() const;
  /// The state as a file has it.
  files::MemoryFile state() const;

 private:
  const checkpoints::Checkpoint& checkpoint_;
  std::string digest_;
  caches::MemorySetup setup_;
  std::unique_ptr<transformer::KvCache> cache_;
  transformer::Workers workers_;
  transformer::Transformer model_;
  transformer::Session session_;
  std::vector<float> hidden_;  ///< of the last token
};

/// Throws files::InputError for --bos behind a state.
void check_begin(bool bos, const std::string& from);

/// Reads a state file for the memories of a model.
files::MemoryFile read_state(const std::string& path, const caches::MemorySetup& setup,
                             const checkpoints::Checkpoint& checkpoint, const std::string& digest);
/// The same for the memories that setup_of() takes from `cache`.
files::MemoryFile read_state(const std::string& path, const std::string& cache,
                             const checkpoints::Checkpoint& checkpoint);

}  // namespace axelram::commands
