// Repair of erased elements in records of two parts (bit-contract.md#two-parts).
#include <cmath>
#include <optional>

#include "axelram/interpolate.hpp"
#include "axelram/record.hpp"
#include "check.hpp"
#include "golden/fields.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

RecordPart part(std::vector<std::uint8_t>* values, int bits) {
  return {values->data(), static_cast<int>(values->size()), bits, 0};
}

/// A record taken apart.
struct Unpacked {
  std::vector<std::uint8_t> values[2];
  std::uint16_t norms[2];
};

/// Places of the elements, by the contract alone.
struct Shape {
  explicit Shape(const Parameters& p)
      : count(static_cast<std::size_t>(p.split() ? p.head_dim / 2 : p.head_dim)),
        bits{p.split() ? p.split_high : p.index_bits - 1, p.split() ? p.split_low : 1},
        signs(p.prod()),
        bytes(static_cast<std::size_t>(p.record_bytes())) {}

  Unpacked unpack(const std::uint8_t* record) const {
    Unpacked result;
    for (auto& values : result.values) values.resize(count);
    RecordPart first = part(&result.values[0], bits[0]), second = part(&result.values[1], bits[1]);
    unpack_parts_ref(record, &first, &second);
    result.norms[0] = first.norm;
    result.norms[1] = second.norm;
    return result;
  }
  std::vector<std::uint8_t> pack(Unpacked from) const {
    RecordPart first = part(&from.values[0], bits[0]), second = part(&from.values[1], bits[1]);
    first.norm = from.norms[0];
    second.norm = from.norms[1];
    std::vector<std::uint8_t> record(bytes);
    pack_parts_ref(first, second, record.data());
    return record;
  }
  int first_bit(int j, std::size_t i) const {
    return (j == 0 ? 0 : static_cast<int>(count) * bits[0]) + static_cast<int>(i) * bits[j];
  }
  int norm_bit(int j) const { return static_cast<int>(count) * (bits[0] + bits[1]) + 16 * j; }

  std::size_t count;
  int bits[2];
  bool signs;
  std::size_t bytes;
};

/// A decoded record, and which of its words are lost.
struct Row {
  std::vector<std::uint8_t> record, statuses;
  std::vector<bool> lost_words;

  bool lost(int first, int bits, int k) const {
    for (int bit = first; bit < first + bits; ++bit)
      if (lost_words[static_cast<std::size_t>(bit / k)]) return true;
    return false;
  }
};

Row random_row(oracle::Rng& rng, const Code& code, std::size_t bytes) {
  Row row;
  row.record.resize(bytes);
  for (std::uint8_t& byte : row.record) byte = static_cast<std::uint8_t>(rng());
  const std::size_t words = code.words(8 * bytes);
  row.statuses.resize(status_bytes(words));
  for (std::size_t word = 0; word < words; ++word) {
    row.lost_words.push_back(oracle::uniform(rng, 0, 3) == 0);
    if (row.lost_words[word])
      row.statuses[word / 4] =
          static_cast<std::uint8_t>(row.statuses[word / 4] | 3U << (2 * (word % 4)));
  }
  return row;
}

/// The element of the neighbours, or nothing where both lost it. get(row) is its value.
template <class Get, class Mean>
std::optional<int> from_neighbours(const Row rows[3], int first, int bits, int k, Get get,
                                   Mean mean) {
  const bool left = !rows[0].lost(first, bits, k), right = !rows[2].lost(first, bits, k);
  if (left && right) return mean(get(0), get(2));
  if (left) return get(0);
  if (right) return get(2);
  return std::nullopt;
}

std::vector<std::uint8_t> repaired_by_rule(const Row rows[3], ErasurePolicy policy,
                                           const Shape& shape, int k) {
  const Unpacked stored[3] = {shape.unpack(rows[0].record.data()),
                              shape.unpack(rows[1].record.data()),
                              shape.unpack(rows[2].record.data())};
  Unpacked result = stored[1];
  for (int j = 0; j < 2; ++j) {
    const bool kept = j == 1 && shape.signs;
    for (std::size_t i = 0; i < shape.count && !kept; ++i) {
      const int first = shape.first_bit(j, i);
      if (!rows[1].lost(first, shape.bits[j], k)) continue;
      std::optional<int> value = 1 << (shape.bits[j] - 1);
      if (policy == ErasurePolicy::interpolate)
        value = from_neighbours(
            rows, first, shape.bits[j], k, [&](int t) { return stored[t].values[j][i]; },
            [](int a, int b) { return static_cast<int>(std::nearbyint((a + b) / 2.0)); });
      if (value) result.values[j][i] = static_cast<std::uint8_t>(*value);
    }
    if (!rows[1].lost(shape.norm_bit(j), 16, k)) continue;
    std::optional<int> norm = 0;
    if (policy == ErasurePolicy::interpolate)
      norm = from_neighbours(
          rows, shape.norm_bit(j), 16, k, [&](int t) { return stored[t].norms[j]; },
          [](int a, int b) {
            return mean_norm_ref(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b));
          });
    if (norm) result.norms[j] = static_cast<std::uint16_t>(*norm);
  }
  return shape.pack(result);
}

std::vector<Parameters> two_part_parameters() {
  std::vector<Parameters> all;
  for (const int d : {32, 64, 128}) {
    Parameters p{.head_dim = d, .kind = QuantizerKind::prod};
    for (p.index_bits = 2; p.index_bits <= 4; ++p.index_bits) all.push_back(p);
    p = {};
    p.head_dim = d;
    p.scale = ScaleKind::unbiased;
    for (p.split_high = 1; p.split_high <= 4; ++p.split_high)
      for (p.split_low = 1; p.split_low <= p.split_high; ++p.split_low) all.push_back(p);
  }
  return all;
}

}  // namespace

TEST_CASE("fields of a record of two parts") {
  for (const Parameters& p : two_part_parameters()) {
    CASE(p);
    check(p);
    const std::vector<RecordField> fields = record_fields(p);
    REQUIRE(fields.size() == 3);
    CHECK(fields[0].first == 0);
    CHECK(fields[1].first == fields[0].end());
    CHECK(fields[2].first == fields[1].end());
    CHECK(fields[2].end() == static_cast<std::size_t>(p.record_bits()));
    for (const RecordField& field : fields) CHECK_AT(field.first, field.first % 8 == 0);
  }
}

TEST_CASE("repair of both parts follows the rules; residual signs are kept") {
  oracle::Rng rng(33);
  for (const Parameters& p : two_part_parameters())
    for (const char* name : {"hamming84", "golay24", "hsiao_22_16", "hsiao_72_64"}) {
      const Code code = make_code(name);
      const Shape shape(p);
      const Row rows[3] = {random_row(rng, code, shape.bytes), random_row(rng, code, shape.bytes),
                           random_row(rng, code, shape.bytes)};
      const auto at = [&](int t) {
        return DecodedRecord{rows[t].record.data(), rows[t].statuses.data()};
      };
      for (const ErasurePolicy policy : {ErasurePolicy::zero, ErasurePolicy::interpolate}) {
        CASE(policy, p.head_dim, p.split_high, p.split_low, name);
        std::vector<std::uint8_t> got(shape.bytes);
        repair_record_ref(code, policy, record_fields(p), at(0), at(1), at(2), got.data());
        CHECK_SAME(got, repaired_by_rule(rows, policy, shape, code.k));
        if (shape.signs)
          CHECK_SAME(shape.unpack(got.data()).values[1],
                     shape.unpack(rows[1].record.data()).values[1]);
      }
    }
}
