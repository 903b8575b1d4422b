#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "axelram/checkpoints/matrix.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/gguf/gguf.hpp"

namespace axelram::checkpoints {

/// A tensor of a checkpoint, wherever it is stored.
struct Stored {
  std::string place;                  ///< "FILE: tensor NAME: ", for messages
  std::optional<weights::Type> type;  ///< none if weights cannot have it
  std::string type_name;
  files::Shape shape;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  std::size_t paired_head = 0;  ///< see Matrix::paired_head
  float offset = 0;             ///< of the stored values from those of the directory
  bool stored_by_output =
      false;  ///< a matrix that Hugging Face stores transposed has its rows here
};

/// Values of the directory's tensor: all of a vector, as floats.
std::vector<float> vector_of(const Stored& stored, std::size_t size);
/// The directory's matrix. transposed: it has its columns where the file has rows.
Matrix matrix_of(const Stored& stored, std::size_t outputs, std::size_t inputs, bool transposed);

/// The tensors of a checkpoint by their names in a Hugging Face directory. Every function throws
/// files::InputError: file, tensor, what would be right.
class Tensors {
 public:
  /// model.safetensors, or the shards that model.safetensors.index.json names.
  static Tensors of_folder(const std::string& folder);
  /// A GGUF file whose architecture is `family`, with `head_dim` channels per head.
  static Tensors of_gguf(std::shared_ptr<const gguf::Gguf> file, const std::string& family,
                         std::size_t head_dim);

  bool has(const std::string& name) const { return stored_.count(name) != 0; }
  /// A matrix of this shape: [outputs, inputs], or [inputs, outputs] where transposed.
  Matrix matrix(const std::string& name, std::size_t outputs, std::size_t inputs,
                bool transposed = false);
  std::vector<float> vector(const std::string& name, std::size_t size);
  /// The same, or nothing where `wanted` is false.
  std::vector<float> vector_if(bool wanted, const std::string& name, std::size_t size) {
    return wanted ? vector(name, size) : std::vector<float>();
  }
  /// What messages say of the configuration, such as " without head_dim (128)".
  void explain(const std::string& words) { configuration_ += words; }
  /// Tensors that hold no weights.
  void ignore(const std::string& name) { ignored_.insert(name); }
  /// Complains of the first tensor that was neither asked for nor ignored.
  void check_all_used(const std::string& family) const;

  /// Whether a tensor was asked for.
  bool is_used(const std::string& name) const { return used_.count(name) != 0; }
  const std::map<std::string, Stored>& all() const { return stored_; }
  const std::vector<std::shared_ptr<const void>>& files() const { return files_; }

 private:
  const files::Safetensors* map(const std::string& path);
  void add(const files::Safetensors& file);
  void map_shards(const std::string& folder);
  const Stored& take(const std::string& name, const files::Shape& shape);

  std::string origin_;  ///< file or folder, for messages
  std::string configuration_ = "config.json";
  std::map<std::string, Stored> stored_;
  std::vector<std::shared_ptr<const void>> files_;
  std::set<std::string> used_, ignored_;
};

/// lm_head. Tied, the embedding: unless an lm_head with other values is stored, which transformers
/// then uses too.
Matrix head_of(const Matrix& embedding, bool tied, Tensors* tensors);

}  // namespace axelram::checkpoints
