#pragma once

#include <memory>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/caches/shape.hpp"
#include "axelram/caches/specification.hpp"
#include "axelram/fast.hpp"
#include "axelram/files/memory_file.hpp"
#include "axelram/memory_records.hpp"
#include "axelram/transformer/kv_cache.hpp"

namespace axelram::caches {

/// The options of a cache `memory`: its own keys, then those of a checkpoint's `coda.memory`, then
/// the defaults. `of_checkpoint`: the keys as a specification has them, or "". blend_by_model: the
/// checkpoint decides the blend of every KV head. Throws
/// files::InputError for keys of the checkpoint that are wrong, or that name files, and for own
/// keys without an effect, unless they have the value that holds without them.
MemoryOptions memory_options(const Memory& own, const std::string& of_checkpoint,
                             bool blend_by_model = false);

/// Constants of the memories of a model.
class MemorySetup {
 public:
  /// Throws files::InputError for files that are invalid or do not fit the model, for options out
  /// of range, and for macros that a memory excludes (bit-contract.md#memory-parameters).
  MemorySetup(const Memory& specification, const Shape& shape);

  /// Without bit errors. Its blend is the checkpoint's, where that has one for the layer.
  MemoryHead head(int layer, int head) const;
  /// Of all heads but for `blend`.
  const MemoryParameters& parameters() const { return parameters_; }
  /// True if the checkpoint decides `blend`.
  bool blend_by_model() const { return blend_by_model_; }
  /// True if the code of the write gate adds to the scores of landmarks.
  bool gate_bias() const { return gate_bias_; }
  const AxelramSetup& records() const { return records_; }
  const Faults& faults() const { return faults_; }
  /// What states of these memories belong to. model: digest of the checkpoint.
  files::MemoryIdentity identity(const std::string& model) const;
  const Shape& shape() const { return shape_; }

 private:
  Shape shape_;
  AxelramSetup records_;
  Faults faults_;
  MemoryParameters parameters_;
  bool blend_by_model_ = false, gate_bias_ = false, interleaved_pairs_ = false;
  std::int64_t longest_;
};

/// The cache of memories of these constants.
std::unique_ptr<transformer::KvCache> make_cache(MemorySetup setup,
                                                 const UnitTable& units = fast_units());

}  // namespace axelram::caches
