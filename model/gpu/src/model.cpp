#include "axelram/gpu/model.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "axelram/files/errors.hpp"
#include "axelram/kernels/likelihood.hpp"
#include "axelram/transformer/out_of_range.hpp"
#include "pass.hpp"

namespace axelram::gpu {
namespace {

using checkpoints::Architecture;
using checkpoints::Checkpoint;
using perplexity::Prediction;
using perplexity::Target;

/// Rows of logits in memory at a time, for each of two caches.
constexpr std::size_t kLogitRows = 256;
/// Device memory of cuBLAS.
constexpr std::size_t kLibrary = std::size_t{128} << 20;
constexpr std::size_t kMaxGroup = 16, kMaxHeadDim = 256;

HeadLayout heads_of(const Architecture& a,
                    const std::vector<caches::Specification>& specifications) {
  if (a.group() > kMaxGroup || a.head_dim > kMaxHeadDim)
    throw files::InputError("the model has " + std::to_string(a.group()) +
                            " query heads a KV head, of " + std::to_string(a.head_dim) +
                            " values; on the device 16 of 256 fit: use --device cpu");
  bool pads = true;
  for (const caches::Specification& one : specifications)
    pads = pads && pads_heads(one.keys) && pads_heads(one.values);
  HeadLayout heads{caches::shape_of(a), a.group(), a.head_dim,
                   static_cast<float>(a.attention_scale())};
  if (pads) heads.padded_d = std::max<std::size_t>(32, std::bit_ceil(a.head_dim));
  return heads;
}

/// Kernels read all tokens before a query: in sequences within the attention span that is the same.
void check_spans(const Architecture& a, const Capacity& capacity) {
  for (std::size_t layer = 0; layer < a.layers; ++layer)
    if (a.span(layer) != 0 && a.span(layer) < capacity.max_len)
      throw files::InputError("layer " + std::to_string(layer) + " has an attention span of " +
                              std::to_string(a.span(layer)) + " tokens; windows of " +
                              std::to_string(capacity.max_len) +
                              " exceed it, and no kernel has one: use shorter windows or "
                              "--engine fast");
}

void check_attention(const Architecture& a) {
  if (a.coda)
    throw files::InputError(
        "the model has differential attention (coda in config.json), and no kernel has it: use "
        "--engine fast");
}

Capacity shortened(Capacity capacity) {
  capacity.chunk_rows = std::max<std::size_t>(1, std::min(capacity.chunk_rows, capacity.rows));
  return capacity;
}

/// Owners of device memory.
struct Parts {
  Parts(const Checkpoint& checkpoint, const std::vector<caches::Specification>& specifications,
        const HeadLayout& heads, const Capacity& capacity, Memory* memory, kernels::Stream* stream)
      : weights(checkpoint, memory, stream) {
    const Architecture& a = checkpoint.architecture;
    weight_bytes = memory->bytes();
    for (const caches::Specification& one : specifications)
      caches.push_back(std::make_unique<PagedCache>(one, heads, capacity, &shared, memory, stream));
    take(caches, capacity, &shared, memory);
    cache_bytes = memory->bytes() - weight_bytes;
    batch.emplace(capacity, memory);
    activations.emplace(a, heads, capacity, memory);
    const std::size_t rows = logit_rows = std::min(kLogitRows, capacity.chunk_rows);
    logits = memory->take<float>(rows * a.vocabulary);
    target_rows = memory->take<std::int32_t>(rows);
    target_ids = memory->take<std::int32_t>(rows);
    nll = memory->take<double>(rows);
    kl = memory->take<double>(rows);
    rank = memory->take<std::uint32_t>(rows);
    agrees = memory->take<std::uint32_t>(rows);
    if (caches.size() > 1) {
      baseline_logits = memory->take<float>(rows * a.vocabulary);
      baseline_hidden = memory->take<float>(capacity.rows * a.hidden);
    }
    memory->add(kernels::MatrixProduct::bytes(Activations::max_values(a, capacity)) + kLibrary);
  }

  DeviceWeights weights;
  CacheMemory shared;
  std::vector<std::unique_ptr<PagedCache>> caches;
  std::optional<Batch> batch;
  std::optional<Activations> activations;
  std::size_t logit_rows = 0;
  kernels::Buffer<float> logits, baseline_logits;  ///< [logit_rows, vocabulary]
  kernels::Buffer<float> baseline_hidden;          ///< [targets, hidden], after the final norm
  kernels::Buffer<std::int32_t> target_rows, target_ids;
  kernels::Buffer<double> nll, kl;
  kernels::Buffer<std::uint32_t> rank, agrees;
  std::size_t weight_bytes = 0, cache_bytes = 0;
};

void check_memory(const Checkpoint& checkpoint,
                  const std::vector<caches::Specification>& specifications, const HeadLayout& heads,
                  const Capacity& capacity) {
  const kernels::DeviceInfo device = kernels::device_info();
  Memory plan(true);
  const Parts parts(checkpoint, specifications, heads, capacity, &plan, nullptr);
  if (plan.bytes() <= device.free_bytes) return;
  throw files::EnvironmentError(
      "the model needs " + std::to_string(plan.bytes()) + " bytes of device memory (" +
      std::to_string(parts.weight_bytes) + " for weights, " + std::to_string(parts.cache_bytes) +
      " for caches); " + std::to_string(device.free_bytes) + " of " + device.name +
      " are free: use a device with more, a smaller model or --device cpu");
}

}  // namespace

struct Model::State {
  State(const Checkpoint& c, const std::vector<caches::Specification>& specifications,
        const Capacity& most)
      : architecture(c.architecture),
        heads(heads_of(c.architecture, specifications)),
        capacity(shortened(most)),
        memory(false),
        parts(c, specifications, heads, capacity, &memory, &stream),
        product(stream, Activations::max_values(architecture, capacity)),
        pass(architecture, heads, parts.weights, *parts.activations, stream, product) {
    const bool interleaved = architecture.positions == checkpoints::Positions::rotary_interleaved;
    parts.activations->rotary.upload(architecture.rotary, interleaved, capacity.max_len, stream);
    parts.activations->local_rotary.upload(architecture.local_rotary, interleaved, capacity.max_len,
                                           stream);
  }

  void run(std::span<const transformer::Sequence> sequences, std::size_t cache,
           transformer::CacheEvents* events) {
    for (const transformer::Sequence& sequence : sequences)
      transformer::check(sequence, architecture);
    parts.batch->set(stream, sequences);
    pass.run(*parts.batch, *parts.caches[cache], capacity.chunk_rows);
    if (events != nullptr) parts.caches[cache]->add_events(stream, parts.batch->rows(), events);
  }

  /// hidden [targets, hidden]: the final hidden states that targets are predicted from.
  void hidden_of(std::span<const Target> targets, float* hidden) {
    std::vector<std::int32_t> rows;
    for (const Target& target : targets) rows.push_back(static_cast<std::int32_t>(target.row));
    parts.target_rows.upload(stream, rows);
    const kernels::WeightMatrix states{parts.activations->hidden.data(), kernels::WeightType::f32,
                                       parts.batch->rows(), architecture.hidden, false};
    kernels::gather_rows(stream, states, parts.target_rows.data(), targets.size(), hidden);
    pass.final_norm(hidden, targets.size(), hidden);
  }

  void logits_of(const float* hidden, std::size_t rows, float* logits) {
    product.left(hidden, rows, architecture.hidden);
    product(parts.weights.head(), logits);
  }

  /// Predictions of at most logit_rows targets; target `first` of the batch is the first of them.
  void score(std::span<const Target> targets, std::size_t first, std::size_t cache,
             Prediction* predictions) {
    const std::size_t rows = targets.size();
    const bool keeps = cache == 0 && parts.caches.size() > 1;
    float* const kept =
        keeps || cache != 0 ? parts.baseline_hidden.data() + first * architecture.hidden : nullptr;
    float* const hidden = keeps ? kept : parts.activations->normal.data();
    hidden_of(targets, hidden);
    logits_of(hidden, rows, parts.logits.data());
    const float* baseline = nullptr;
    if (cache != 0) {
      logits_of(kept, rows, parts.baseline_logits.data());
      baseline = parts.baseline_logits.data();
    }
    std::vector<std::int32_t> ids;
    for (const Target& target : targets) ids.push_back(target.id);
    parts.target_ids.upload(stream, ids);
    kernels::likelihoods(
        stream, parts.logits.data(), baseline, parts.target_ids.data(), rows,
        architecture.vocabulary,
        {parts.nll.data(), parts.kl.data(), parts.rank.data(), parts.agrees.data()});
    const auto nll = parts.nll.download(stream), kl = parts.kl.download(stream);
    const auto rank = parts.rank.download(stream), agrees = parts.agrees.download(stream);
    for (std::size_t t = 0; t < rows; ++t)
      predictions[t] = {nll[t], kl[t], rank[t], agrees[t] != 0};
  }

  kernels::Stream stream;
  const Architecture& architecture;
  HeadLayout heads;
  Capacity capacity;
  Memory memory;
  Parts parts;
  kernels::MatrixProduct product;
  Pass pass;
};

Model::Model(const Checkpoint& checkpoint, const std::vector<caches::Specification>& specifications,
             const Capacity& capacity) {
  for (const caches::Specification& one : specifications) check_supported(one);
  check_attention(checkpoint.architecture);
  check_spans(checkpoint.architecture, capacity);
  check_memory(checkpoint, specifications, heads_of(checkpoint.architecture, specifications),
               shortened(capacity));
  state_ = std::make_unique<State>(checkpoint, specifications, capacity);
}

Model::~Model() = default;

std::size_t Model::caches() const { return state_->parts.caches.size(); }
std::size_t Model::device_bytes() const { return state_->memory.bytes(); }

std::vector<std::vector<Prediction>> Model::predict(
    std::span<const transformer::Sequence> sequences, std::span<const Target> targets,
    std::span<transformer::CacheEvents> events, const perplexity::Advance& advance) {
  State& s = *state_;
  std::vector<std::vector<Prediction>> predictions(caches(),
                                                   std::vector<Prediction>(targets.size()));
  for (std::size_t cache = 0; cache < caches(); ++cache) {
    transformer::with_cache(cache, [&] { s.run(sequences, cache, &events[cache]); });
    for (std::size_t first = 0; first < targets.size(); first += s.parts.logit_rows)
      s.score(targets.subspan(first, std::min(s.parts.logit_rows, targets.size() - first)), first,
              cache, &predictions[cache][first]);
    if (advance) advance(static_cast<double>(cache + 1) / static_cast<double>(caches()));
  }
  return predictions;
}

std::vector<float> Model::forward(std::span<const transformer::Sequence> sequences,
                                  std::size_t cache, transformer::CacheEvents* events) {
  State& s = *state_;
  s.run(sequences, cache, events);
  const std::size_t rows = s.parts.batch->rows(), hidden = s.architecture.hidden;
  s.pass.final_norm(s.parts.activations->hidden.data(), rows, s.parts.activations->hidden.data());
  std::vector<float> states(rows * hidden);
  kernels::copy_to_host(s.stream, states.data(), s.parts.activations->hidden.data(),
                        states.size() * sizeof(float));
  return states;
}

}  // namespace axelram::gpu
