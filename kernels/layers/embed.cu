#include "axelram/kernels/layers.hpp"
#include "common/row_launch.hpp"
#include "layers/value.cuh"

namespace axelram::kernels {
namespace {

/// A row's bytes of the table, and 4 a value written (8 if added). Bound by memory.
template <WeightType kType>
AXELRAM_KERNEL void gather_rows_kernel(const void* table, std::size_t width,
                                       const std::int32_t* index, float* x, bool add) {
  const std::size_t from = static_cast<std::size_t>(load(index + block_x())) * width;
  const std::size_t to = std::size_t{block_x()} * width;
  for (std::size_t i = thread_index(); i < width; i += kRowThreads) {
    const float value = value_at<kType>(table, from + i);
    x[to + i] = add ? x[to + i] + value : value;
  }
}

}  // namespace

void gather_rows(Stream& stream, const WeightMatrix& table, const std::int32_t* index,
                 std::size_t count, float* x, Into into) {
  const Launch l = row_launch("gather_rows", count, table.inputs);
  if (table.transposed) throw DeviceError(l.text() + ": the table must not be transposed");
  const bool add = into == Into::add;
  const auto run = [&](auto kernel) {
    launch(stream, l, kernel, table.data, table.inputs, index, x, add);
  };
  switch (table.type) {
    case WeightType::f32:
      return run(gather_rows_kernel<WeightType::f32>);
    case WeightType::f16:
      return run(gather_rows_kernel<WeightType::f16>);
    case WeightType::bf16:
      return run(gather_rows_kernel<WeightType::bf16>);
  }
}

}  // namespace axelram::kernels
