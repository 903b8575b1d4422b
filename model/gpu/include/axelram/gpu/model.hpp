#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "axelram/caches/specification.hpp"
#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/perplexity/evaluate.hpp"

namespace axelram::gpu {

/// Size of the largest batch.
struct Capacity {
  std::size_t rows = 0;  ///< tokens of all its sequences together
  std::size_t sequences = 0;
  std::size_t max_len = 0;  ///< tokens of one sequence
  /// Rows that pass through a layer at a time; determines the memory of the activations.
  std::size_t chunk_rows = 2048;
};

/// The capacity that perplexity::evaluate needs.
Capacity capacity_for(const std::vector<perplexity::Window>& windows);

/// Throws files::InputError for a cache that no device kernel reads.
void check_supported(const caches::Specification& specification);

/// A language model and its caches on the current CUDA device: weights in the type of their file,
/// products with FP32 sums (see kernels::MatrixProduct), keys and values in pages, attention that
/// reads the pages. Perplexities equal those of the CPU within 1e-4.
///
/// The pages hold one layer at a time: all queries of a batch pass a layer before the keys of the
/// next layer are written, so that most memory is left for the weights.
class Model : public perplexity::Predictor {
 public:
  /// Allocates all memory and uploads the weights, tensor by tensor from the mapped files, a piece
  /// at a time; the checkpoint must outlive the model. Specification 0 is the baseline. Throws
  /// kernels::NoDevice; files::EnvironmentError if the device has too little free memory, naming
  /// the needed and the free bytes; files::InputError for caches and models that no kernel takes.
  Model(const checkpoints::Checkpoint& checkpoint,
        const std::vector<caches::Specification>& specifications, const Capacity& capacity);
  ~Model() override;

  std::size_t caches() const override;
  std::vector<std::vector<perplexity::Prediction>> predict(
      std::span<const transformer::Sequence> sequences, std::span<const perplexity::Target> targets,
      std::span<transformer::CacheEvents> events, const perplexity::Advance& advance) override;

  /// The hidden states after the final norm, [sum of tokens, hidden], as Transformer::forward.
  std::vector<float> forward(std::span<const transformer::Sequence> sequences, std::size_t cache,
                             transformer::CacheEvents* events = nullptr);

  std::size_t device_bytes() const;  ///< taken, as planned

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace axelram::gpu
