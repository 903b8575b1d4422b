#include <algorithm>

#include "axelram/group_scale.hpp"
#include "axelram/half.hpp"
#include "axelram/int4_row.hpp"

namespace axelram {
namespace {

Int4Format format_of(const Int4Layout& layout) {
  return {layout.mode, Int4Groups::token, static_cast<int>(layout.group)};
}

}  // namespace

void quantize_int4_row_ref(const Int4Layout& layout, const float* x, std::uint8_t* row,
                           std::uint16_t* scales, std::uint16_t* minima) {
  const Int4Rows one = quantize_int4_ref(x, 1, static_cast<int>(layout.d), format_of(layout));
  std::copy(one.rows.begin(), one.rows.end(), row);
  std::copy(one.scales.begin(), one.scales.end(), scales);
  std::copy(one.minima.begin(), one.minima.end(), minima);
}

void dequantize_int4_row_ref(const Int4Layout& layout, const std::uint8_t* row,
                             const Int4Scales& scales, float* x) {
  Int4Rows one{format_of(layout), 1, static_cast<int>(layout.d), {}, {}, {}};
  one.rows.assign(row, row + layout.row_bytes());
  one.scales.assign(scales.scales, scales.scales + layout.groups());
  if (layout.has_minima()) one.minima.assign(scales.minima, scales.minima + layout.groups());
  dequantize_int4_ref(one, x);
}

void repair_int4_row_ref(const Int4Layout& layout, const Code& code, ErasurePolicy policy,
                         const DecodedRecord& before, const DecodedRecord& current,
                         const DecodedRecord& after, const Int4Scales& scales,
                         std::uint8_t* repaired) {
  std::copy_n(current.record, layout.row_bytes(), repaired);
  if (policy == ErasurePolicy::keep) return;
  for (std::size_t i = 0; i < layout.d; ++i) {
    const auto erased = [&](const DecodedRecord& row) {
      return erased_ref(code, row.statuses, 4 * i, 4);
    };
    const auto usable = [&](const DecodedRecord& row) {
      return row.record != nullptr && !erased(row);
    };
    const auto value = [&](const DecodedRecord& row) {
      return int4_value(layout.mode, row.record, i);
    };
    if (!erased(current)) continue;
    int q = value(current);
    if (policy == ErasurePolicy::zero) {
      const std::size_t g = i / layout.group;
      q = layout.has_minima() ? group_steps_ref(0, half_to_double(scales.minima[g]),
                                                half_to_double(scales.scales[g]), 15)
                              : 0;
    } else if (usable(before) && usable(after)) {
      q = mean_ref(value(before), value(after));
    } else if (usable(before) || usable(after)) {
      q = value(usable(before) ? before : after);
    }
    const int shift = static_cast<int>(4 * (i % 2));
    repaired[i / 2] =
        static_cast<std::uint8_t>((repaired[i / 2] & ~(15 << shift)) | (q & 15) << shift);
  }
}

}  // namespace axelram
