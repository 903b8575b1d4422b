#pragma once

#include <optional>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/exact.hpp"
#include "faulty_records.hpp"
#include "key_feedback.hpp"
#include "paged_rows.hpp"

namespace axelram::gpu {

/// Records of a macro, in tiles that tensor cores read, and the rows of exact tokens: those of one
/// layer, like the pages.
class PagedRecords : public PagedRows {
 public:
  PagedRecords(const caches::Axelram& store, bool values, const HeadLayout& heads,
               const Capacity& capacity, Scratch* scratch, Memory* memory, kernels::Stream* stream);

  void begin(kernels::Stream& stream) override;
  void write(kernels::Stream& stream, const Chunk& chunk, const float* rows) override;
  kernels::AttentionQueries round(kernels::Stream& stream, const Chunk& chunk,
                                  const float* queries) override;
  void describe(int layer, kernels::AttentionCache* cache) const override;
  const kernels::AttentionConstants* attention() const override {
    return attention_ ? &*attention_ : nullptr;
  }
  bool depends_on_next_token() const override { return faults_ && faults_->interpolates(); }
  void write_as_last(kernels::Stream& stream, const Chunk& chunk, const kernels::BlockTable& table,
                     const kernels::TokenPositions& places) override;
  transformer::MemoryEvents events(kernels::Stream& stream, std::size_t rows) override;
  ElementFormat format() const override { return setup_.parameters(false).element_format; }
  const char* advice() const override;
  const kernels::ExactRows& exact() const { return exact_; }

 private:
  /// With exponents of keys.
  kernels::KeyRotations rotations(int layer) const;
  void take_exact(const Parameters& p, const Capacity& capacity, Scratch* scratch, Memory* memory);
  /// Records of the elements in Scratch::elements, and copies of keys.
  void encode(kernels::Stream& stream, const Chunk& chunk);
  void keep_exact(kernels::Stream& stream, const Chunk& chunk);

  caches::AxelramSetup setup_;
  HeadLayout heads_;
  Scratch* scratch_;
  kernels::MacroConstants constants_;
  std::optional<kernels::AttentionConstants> attention_;  ///< of a macro that attends
  kernels::Buffer<std::int8_t> signs_;                    ///< [layers, heads, d]
  kernels::Buffer<std::int8_t> residual_signs_;           ///< the same, or none
  kernels::Buffer<std::uint16_t> channels_;               ///< the same, or none
  kernels::Buffer<std::int8_t> balance_;                  ///< the same, or none
  kernels::Buffer<std::uint16_t> center_;                 ///< the same, or none
  std::optional<FaultyRecords> faults_;                   ///< where bits flip
  std::optional<KeyFeedback> feedback_;                   ///< of keys
  kernels::ExactRows exact_;                              ///< or none
  kernels::Buffer<std::uint16_t> exact_elements_;
  kernels::Buffer<std::int32_t> exact_exponents_;
};

}  // namespace axelram::gpu
