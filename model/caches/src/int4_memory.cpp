#include "int4_memory.hpp"

#include <algorithm>

#include "elements.hpp"

namespace axelram::caches {
namespace {

Int4Format format_of(const Int4Layout& layout) {
  return {layout.mode, Int4Groups::token, static_cast<int>(layout.group)};
}

}  // namespace

Int4Memory::Int4Memory(const Int4Family& family, const Place& place)
    : layout_(family.layout),
      reference_(&family.units == &reference_units()),
      place_(place),
      memory_(
          family.code, family.store.erasure,
          [this, code = family.code, policy = family.store.erasure](
              std::size_t token, const DecodedRecord& before, const DecodedRecord& current,
              const DecodedRecord& after, std::uint8_t* repaired) {
            repair_int4(layout_, *code->code(), policy, before, current, after, scales_of(token),
                        repaired);
          },
          family.store.faults, place.site()),
      row_(layout_.row_bytes()),
      last_(layout_.d) {}

void Int4Memory::begin(std::uint32_t sequence) {
  memory_.begin(sequence);
  scales_.clear();
  minima_.clear();
}

Int4Scales Int4Memory::scales_of(std::size_t token) const {
  const std::size_t first = token * layout_.groups();
  return {&scales_[first], layout_.has_minima() ? &minima_[first] : nullptr};
}

void Int4Memory::quantize(const float* row) {
  const std::size_t groups = layout_.groups(), first = memory_.size() * groups;
  scales_.resize(first + groups);
  minima_.resize(layout_.has_minima() ? first + groups : 0);
  std::uint16_t* const minima = layout_.has_minima() ? &minima_[first] : nullptr;
  if (!reference_) return quantize_int4(layout_, row, row_.data(), &scales_[first], minima);
  const Int4Rows one = quantize_int4_ref(row, 1, static_cast<int>(layout_.d), format_of(layout_));
  std::copy(one.rows.begin(), one.rows.end(), row_.begin());
  std::copy(one.scales.begin(), one.scales.end(), &scales_[first]);
  std::copy(one.minima.begin(), one.minima.end(), minima);
}

void Int4Memory::dequantize(std::size_t token, const std::uint8_t* row, float* x) const {
  const Int4Scales scales = scales_of(token);
  if (!reference_) return dequantize_int4(layout_, row, scales, x);
  const std::size_t groups = layout_.groups();
  Int4Rows one{format_of(layout_), 1, static_cast<int>(layout_.d), {}, {}, {}};
  one.rows.assign(row, row + layout_.row_bytes());
  one.scales.assign(scales.scales, scales.scales + groups);
  if (layout_.has_minima()) one.minima.assign(scales.minima, scales.minima + groups);
  dequantize_int4_ref(one, x);
}

void Int4Memory::write(const float* rows, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* const row = rows + i * layout_.d;
    if (!all_finite(row, layout_.d))
      reject(place_, place_.row_name(), memory_.size(), row, layout_.d, fits_float,
             "it must be a number");
    quantize(row);
    memory_.append(row_.data());
  }
  const std::size_t first = memory_.settle();
  floats_.resize(memory_.size() * layout_.d);
  for (std::size_t t = first; t < memory_.size(); ++t)
    dequantize(t, memory_.row(t), &floats_[t * layout_.d]);
}

const float* Int4Memory::as_last(std::size_t row) {
  const std::uint8_t* const last = memory_.as_last(row);
  if (last == nullptr) return nullptr;
  dequantize(row, last, last_.data());
  return last_.data();
}

double Int4Memory::bytes_per_row() const {
  const std::size_t scales = layout_.groups() * (layout_.has_minima() ? 2 : 1);
  return static_cast<double>(memory_.code().stored_bytes() + 2 * scales);
}

}  // namespace axelram::caches
