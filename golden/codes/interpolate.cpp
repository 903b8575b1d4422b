#include "axelram/interpolate.hpp"

#include <algorithm>

#include "axelram/bit_string.hpp"
#include "axelram/half.hpp"
#include "axelram/rounding.hpp"

namespace axelram {
namespace {

/// One element, an index or the norm, at the same bits of three records.
struct Element3 {
  const Code& code;
  std::size_t first;
  int bits;

  bool erased(const DecodedRecord& record) const {
    return erased_ref(code, record.statuses, first, bits);
  }
  bool usable(const DecodedRecord& record) const {
    return record.record != nullptr && !erased(record);
  }
  std::uint64_t value(const DecodedRecord& record) const {
    return read_bits(record.record, first, bits);
  }
};

template <typename Mean>
std::uint64_t interpolated(const Element3& element, const DecodedRecord& before,
                           const DecodedRecord& current, const DecodedRecord& after, Mean mean) {
  const bool left = element.usable(before), right = element.usable(after);
  if (left && right) return mean(element.value(before), element.value(after));
  if (left) return element.value(before);
  if (right) return element.value(after);
  return element.value(current);
}

std::uint64_t mean_index(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(mean_ref(static_cast<int>(a), static_cast<int>(b)));
}
std::uint64_t mean_norm(std::uint64_t a, std::uint64_t b) {
  return mean_norm_ref(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b));
}

}  // namespace

std::uint16_t mean_norm_ref(std::uint16_t a, std::uint16_t b) {
  // Both on the grid of 2^-24: at most 2047 * 2^30 each. Half their sum is on the grid of 2^-25.
  const auto on_grid = [](std::uint16_t norm) {
    const NormValue value = decode_norm(norm);
    return static_cast<std::uint64_t>(value.significand) << (value.exponent + 24);
  };
  const std::uint64_t sum = on_grid(a) + on_grid(b);
  if (exceeds(sum, -25, 2047, 5)) return kHalfMax;
  return static_cast<std::uint16_t>(encode_rne(sum, -25, 10, 15));
}

bool erased_ref(const Code& code, const std::uint8_t* statuses, std::size_t first, int count) {
  const auto k = static_cast<std::size_t>(code.k);
  const std::size_t last = first + static_cast<std::size_t>(count) - 1;
  for (std::size_t word = first / k; word <= last / k; ++word)
    if (status_at(statuses, word) == WordStatus::detected) return true;
  return false;
}

void repair_record_ref(const Code& code, ErasurePolicy policy,
                       const std::vector<RecordField>& fields, const DecodedRecord& before,
                       const DecodedRecord& current, const DecodedRecord& after,
                       std::uint8_t* repaired) {
  std::copy_n(current.record, fields.back().end() / 8, repaired);
  if (policy == ErasurePolicy::keep) return;
  for (const RecordField& field : fields) {
    if (field.kind == RecordField::Kind::residual_sign) continue;
    const bool norm = field.kind == RecordField::Kind::norm;
    const std::uint64_t zero = norm ? 0 : std::uint64_t{1} << (field.bits - 1);
    Element3 element{code, field.first, field.bits};
    for (; element.first < field.end(); element.first += static_cast<std::size_t>(field.bits)) {
      if (!element.erased(current)) continue;
      const std::uint64_t value =
          policy == ErasurePolicy::zero
              ? zero
              : interpolated(element, before, current, after, norm ? mean_norm : mean_index);
      write_bits(repaired, element.first, element.bits, value);
    }
  }
}

}  // namespace axelram
