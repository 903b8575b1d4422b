#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "axelram/checkpoints/matrix.hpp"
#include "axelram/files/safetensors.hpp"

namespace axelram::checkpoints {

/// The tensors of a Hugging Face directory, whatever shard they lie in. Every function throws
/// files::InputError: file, tensor, what would be right.
class Tensors {
 public:
  /// model.safetensors, or the shards that model.safetensors.index.json names.
  explicit Tensors(const std::string& folder);

  bool has(const std::string& name) const { return find(name) != nullptr; }
  /// A matrix of this shape: [outputs, inputs], or [inputs, outputs] where transposed.
  Matrix matrix(const std::string& name, std::size_t outputs, std::size_t inputs,
                bool transposed = false);
  std::vector<float> vector(const std::string& name, std::size_t size);
  /// The same, or nothing where `wanted` is false.
  std::vector<float> vector_if(bool wanted, const std::string& name, std::size_t size) {
    return wanted ? vector(name, size) : std::vector<float>();
  }
  /// Tensors that hold no weights.
  void ignore(const std::string& name) { used_.insert(name); }
  /// Complains of the first tensor that was neither asked for nor ignored.
  void check_all_used(const std::string& family) const;

  std::vector<std::shared_ptr<const void>> files() const;

 private:
  struct Found {
    const files::Safetensors* file;
    const files::Tensor* tensor;
  };
  const files::Safetensors* map(const std::string& path);
  void map_shards();
  const files::Tensor* find(const std::string& name) const;
  Found take(const std::string& name, const files::Shape& shape);

  std::string folder_;
  std::vector<std::shared_ptr<const files::Safetensors>> shards_;
  std::set<std::string> used_;
};

}  // namespace axelram::checkpoints
