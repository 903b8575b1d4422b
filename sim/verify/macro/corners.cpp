#include "verify/macro/corners.hpp"

#include <algorithm>
#include <bit>

namespace axelram::sim {
namespace {

std::uint64_t bits_at(const DecodedRecord& record, std::size_t first, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) {
    const std::size_t bit = first + static_cast<std::size_t>(i);
    value |= static_cast<std::uint64_t>(record.record[bit / 8] >> (bit % 8) & 1) << i;
  }
  return value;
}

/// Sum of two norms as read, in units of 2^-24.
std::uint64_t norm_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  for (const std::uint64_t norm : {a, b}) {
    const std::uint64_t field = norm >> 10 & 31, fraction = norm & 1023;
    sum += field == 0 ? fraction : (1024 + fraction) << (field - 1);
  }
  return sum;
}

/// True if half of `sum` lies in the middle between two FP16 values.
bool is_tie(std::uint64_t sum) {
  const int dropped = std::max(1, static_cast<int>(std::bit_width(sum)) - 11);
  return (sum & ((std::uint64_t{1} << dropped) - 1)) == std::uint64_t{1} << (dropped - 1);
}

}  // namespace

void note_repair(const Code& code, ErasurePolicy policy, const std::vector<RecordField>& fields,
                 const DecodedRecord& before, const DecodedRecord& current,
                 const DecodedRecord& after, CodeCorners* corners) {
  const auto at = static_cast<std::size_t>(policy);
  const auto has = [&](const DecodedRecord& record, std::size_t first, int count) {
    return record.record != nullptr && !erased_ref(code, record.statuses, first, count);
  };
  CodeCorners& c = *corners;
  const auto note = [&](std::size_t first, int bits, bool is_norm) {
    if (has(current, first, bits)) return;
    ++(is_norm ? c.erased_norm : c.erased_index)[at];
    if (policy != ErasurePolicy::interpolate) return;
    const bool left = has(before, first, bits), right = has(after, first, bits);
    if (is_norm)
      (left && right ? c.norm_both : left ? c.norm_left : right ? c.norm_right : c.norm_none)++;
    else
      (left && right ? c.index_both : left ? c.index_left : right ? c.index_right : c.index_none)++;
    if (!left || !right) return;
    if (!is_norm) {
      c.index_tie += (bits_at(before, first, 1) ^ bits_at(after, first, 1)) != 0;
      return;
    }
    const std::uint64_t sum = norm_sum(bits_at(before, first, 15), bits_at(after, first, 15));
    c.norm_tie += is_tie(sum);
    // 65520 is 65504 plus half of its last place. Means from there on saturate.
    c.norm_saturated += sum >= std::uint64_t{2} * 65520 << 24;
  };
  for (const RecordField& field : fields) {
    if (field.kind == RecordField::Kind::residual_sign) continue;  // kept
    for (int i = 0; i < field.count; ++i)
      note(field.first + static_cast<std::size_t>(i * field.bits), field.bits,
           field.kind == RecordField::Kind::norm);
  }
}

}  // namespace axelram::sim
