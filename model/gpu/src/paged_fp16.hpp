#pragma once

#include "paged_rows.hpp"

namespace axelram::gpu {

/// Elements rounded to FP16, heads padded with zeros.
class PagedFp16 : public PagedRows {
 public:
  PagedFp16(bool values, const HeadLayout& heads, const Capacity& capacity, Scratch* scratch);

  void write(kernels::Stream& stream, const Chunk& chunk, const float* rows) override;
  kernels::AttentionQueries round(kernels::Stream& stream, const Chunk& chunk,
                                  const float* queries) override;
  void describe(int layer, kernels::AttentionCache* cache) const override;
  ElementFormat format() const override { return ElementFormat::fp16; }
  const char* advice() const override {
    return "FP16 holds numbers up to 65504; the cache f32 holds more, with --device cpu";
  }

 private:
  HeadLayout heads_;
  Scratch* scratch_;
};

}  // namespace axelram::gpu
