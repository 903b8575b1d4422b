#include <cmath>

#include "axelram/codebook.hpp"
#include "axelram/datapath.hpp"
#include "axelram/fast_codes.hpp"
#include "axelram/fault.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/hadamard.hpp"
#include "axelram/half.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/record.hpp"
#include "axelram/trellis.hpp"
#include "rows/float_vectors.hpp"
#include "support.hpp"

using namespace axelram;
using test::Floats;

namespace {

constexpr std::size_t kTokens = 80;
constexpr int kLayer = 2, kHead = 1;
constexpr std::uint32_t kSequence = 3;

struct Setup {
  int d = 128, bits = 3;
  std::string code = "none", erasure = "keep";
  double ber = 0;
  int states = 0;  ///< of a trellis; 0: none
  bool prod = false;
  int high = 0, low = 0;  ///< bits of a split; 0: none

  Parameters parameters() const {
    Parameters p{.head_dim = d, .index_bits = bits};
    if (prod) p.kind = QuantizerKind::prod;
    if (high != 0) p.scale = ScaleKind::unbiased;
    p.split_high = high;
    p.split_low = low;
    if (states != 0) {
      p.kind = QuantizerKind::trellis;
      p.states = states;
    }
    return p;
  }
  std::vector<std::int32_t> channels() const {
    std::vector<std::int32_t> all;
    for (int head = 0; head < 6; ++head)
      for (int i = 0; i < d / 2; ++i) all.push_back(2 * i + (i / (head + 2)) % 2);
    return all;
  }
  HeadRotation rotation() const {
    std::vector<std::uint16_t> own;
    const std::vector<std::int32_t> all = channels();
    for (int i = 0; i < d / 2 && high != 0; ++i)
      own.push_back(static_cast<std::uint16_t>(
          all[static_cast<std::size_t>((kLayer * 2 + kHead) * (d / 2) + i)]));
    return seeded_rotation(parameters(), 4, kLayer, kHead, own);
  }
  std::string specification(const test::TemporaryFolder& folder) const {
    const std::vector<std::int32_t> split = channels();
    files::write_safetensors(folder / "high",
                             {files::view("high", files::DataType::i32,
                                          {3, 2, static_cast<std::uint64_t>(d / 2)}, split)},
                             {}, true);
    test::put(folder / "c.yaml", "macro: {head_dim: " + std::to_string(d) +
                                     (high == 0 ? ", index_bits: " + std::to_string(bits) : "") +
                                     "}\necc: {code: " + code + ", erasure: " + erasure + "}\n" +
                                     test::quantizer_yaml(parameters()));
    const std::string faults = ",fault_seed=6,ber=" + std::to_string(ber);
    return "axelram:config=" + (folder / "c.yaml") + ",seed=4" + (ber > 0 ? faults : "");
  }
};

/// Every value as read back, [tokens, d], in doubles: once with both neighbours and once as the
/// last row.
struct Expected {
  std::vector<double> settled, last;
};

/// x = scale * diag(signs) H x.
void rotate_back(const std::int8_t* signs, std::vector<double>* x, double scale) {
  const std::size_t d = x->size();
  std::vector<double> sum(d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      sum[i] += scale * signs[i] * (__builtin_parityll(i & j) != 0 ? -1 : 1) * (*x)[j];
  *x = sum;
}

/// norm * the centroid words of `count` indices.
std::vector<double> levels_of(const Setup& setup, const CodebookRom& rom, const RecordPart& part) {
  std::vector<std::uint8_t> levels(part.indices, part.indices + part.count);
  if (setup.states != 0) trellis_level_ref(levels.data(), part.count, setup.states, levels.data());
  const NormValue norm = decode_norm(part.norm);
  std::vector<double> values;
  for (const std::uint8_t level : levels)
    values.push_back(std::ldexp(norm.significand, norm.exponent) * rom.centroids[level]);
  return values;
}

/// norm * score_scale * diag(s) H C[idx] (bit-contract.md#read-5), of records of two parts for each
/// sub-vector, or with the residual's diag(s2) H t beside C[idx].
void dequantize(const Setup& setup, const CodebookRom& rom, const std::uint8_t* record,
                double* value) {
  const Parameters p = setup.parameters();
  const HeadRotation rotation = setup.rotation();
  const std::int8_t* const signs = rotation.signs.data();
  std::vector<std::uint8_t> indices(static_cast<std::size_t>(setup.d)), others(indices.size());
  RecordPart first{indices.data(), setup.d, setup.bits, 0}, second{others.data(), 0, 1, 0};
  if (!p.two_parts()) {
    unpack_record_ref(record, setup.d, setup.bits, indices.data(), &first.norm);
  } else {
    if (setup.prod) {
      first.index_bits = setup.bits - 1;
      second.count = setup.d;
    } else {
      first = {indices.data(), setup.d / 2, setup.high, 0};
      second = {others.data(), setup.d / 2, setup.low, 0};
    }
    unpack_parts_ref(record, &first, &second);
  }
  std::vector<double> x = levels_of(setup, rom, first);
  if (setup.prod) {
    const NormValue norm = decode_norm(second.norm);
    const double factor = std::ldexp(norm.significand, norm.exponent) * rom.residual_scale *
                          std::ldexp(1, p.log2_dim() / 2 - 16 - p.log2_dim());
    std::vector<double> residual;
    for (const std::uint8_t negative : others) residual.push_back(negative != 0 ? -1 : 1);
    rotate_back(rotation.residual_signs.data(), &residual, factor);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += residual[i];
  }
  rotate_back(signs, &x, rom.score_scale);
  if (setup.high == 0) {
    std::copy(x.begin(), x.end(), value);
    return;
  }
  std::vector<double> y = levels_of(setup, *rom.second, second);
  rotate_back(signs + setup.d / 2, &y, rom.score_scale);
  x.insert(x.end(), y.begin(), y.end());
  const std::vector<std::uint16_t> order = channel_order(rotation.high_channels, setup.d);
  for (std::size_t i = 0; i < order.size(); ++i) value[order[i]] = x[i];
}

Expected expected(const Setup& setup, const Floats& rows) {
  const Parameters p = setup.parameters();
  const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
  const auto d = static_cast<std::size_t>(setup.d);
  const std::size_t bits = static_cast<std::size_t>(p.record_bits());
  const bool coded = setup.code != "none";
  const Code code = make_code(coded ? setup.code : "hamming84");
  Datapath path(p, rom, setup.rotation(), {}, reference_units());
  KeyResult result;
  std::vector<std::vector<std::uint8_t>> records, statuses;
  for (std::size_t t = 0; t < kTokens; ++t) {
    CASE(t);
    std::vector<std::uint16_t> raw;
    for (std::size_t i = 0; i < d; ++i) raw.push_back(double_to_half(rows[t * d + i]));
    REQUIRE(path.write(raw.data(), &result));
    const std::size_t stored_bits =
        coded ? code.words(bits) * static_cast<std::size_t>(code.n) : bits;
    std::vector<std::uint8_t> stored = result.record, mask((stored_bits + 7) / 8);
    if (coded) {
      stored.resize(code.codeword_bytes(bits));
      encode_bulk_ref(code, result.record.data(), bits, stored.data());
    }
    fault_mask_ref({6, static_cast<std::uint32_t>(t), kLayer, kHead, true, kSequence}, stored_bits,
                   fault_threshold(setup.ber), mask.data());
    for (std::size_t i = 0; i < mask.size(); ++i) stored[i] ^= mask[i];
    records.push_back(stored);
    statuses.emplace_back(status_bytes(code.words(bits)));
    if (!coded) continue;
    records.back().resize(bits / 8);
    decode_bulk_ref(code, stored.data(), bits, records.back().data(), statuses.back().data());
  }
  const ErasurePolicy policy = !coded || setup.erasure == "keep" ? ErasurePolicy::keep
                               : setup.erasure == "zero"         ? ErasurePolicy::zero
                                                                 : ErasurePolicy::interpolate;
  const auto decoded = [&](std::size_t t) -> DecodedRecord {
    if (t >= kTokens) return {};
    return {records[t].data(), statuses[t].data()};
  };
  Expected values{std::vector<double>(kTokens * d), std::vector<double>(kTokens * d)};
  std::vector<std::uint8_t> repaired(bits / 8);
  for (std::size_t t = 0; t < kTokens; ++t) {
    repair_record_ref(code, policy, record_fields(p), decoded(t - 1), decoded(t), decoded(t + 1),
                      repaired.data());
    dequantize(setup, *rom, repaired.data(), &values.settled[t * d]);
    repair_record_ref(code, policy, record_fields(p), decoded(t - 1), decoded(t), {},
                      repaired.data());
    dequantize(setup, *rom, repaired.data(), &values.last[t * d]);
  }
  return values;
}

void check(const Setup& setup) {
  CASE(setup.d, setup.bits, setup.code, setup.erasure, setup.ber, setup.states);
  const test::TemporaryFolder folder;
  const auto d = static_cast<std::size_t>(setup.d);
  const Floats rows = test::gaussian(kTokens * d, 8);
  const Floats weights = test::causal_weights(kTokens, 9);
  const Expected values = expected(setup, rows);
  for (const UnitTable* const units : {&fast_units(), &reference_units()}) {
    CASE(units == &fast_units());
    const auto store =
        test::cache(setup.specification(folder), {3, 2, setup.d}, *units)->values(kLayer, kHead);
    store->begin(kSequence);
    store->write(rows.data(), 33);
    store->write(rows.data() + 33 * d, kTokens - 33);
    Floats out(kTokens * d);
    store->weighted_sum(weights.data(), kTokens, 0, 0, kTokens, out.data());
    for (std::size_t i = 0; i < kTokens; ++i) {
      CASE(i);
      double error = 0, size = 0;
      for (std::size_t j = 0; j < d; ++j) {
        double exact = 0;
        for (std::size_t t = 0; t <= i; ++t)
          exact += static_cast<double>(weights[i * kTokens + t]) *
                   (t == i ? values.last : values.settled)[t * d + j];
        error += (out[i * d + j] - exact) * (out[i * d + j] - exact);
        size += exact * exact;
      }
      REQUIRE(std::sqrt(error / size) < 1e-5);
    }
  }
}

}  // namespace

TEST_CASE("sums of axelram values equal those of the values read back one by one") {
  for (const int d : {32, 64, 128, 256})
    for (const int bits : {2, 3, 4})
      for (const double ber : {0.0, 0.02}) {
        CASE(d, bits, ber);
        check({d, bits, "none", "keep", ber});
      }
  for (const char* code : {"hamming84", "golay24"})
    for (const char* erasure : {"keep", "zero", "interpolate"}) {
      CASE(code, erasure);
      check({128, 3, code, erasure, 0.03});
      check({64, 4, code, erasure, 0.03});
    }
}

TEST_CASE("sums of values of a trellis equal those of the values read back one by one") {
  for (const int states : {4, 8, 16})
    for (const int bits : {2, 3, 4}) {
      CASE(states, bits);
      check({64, bits, "none", "keep", 0.02, states});
      check({128, bits, "golay24", "keep", 0.05, states});
    }
}

TEST_CASE("sums of values of two parts equal those of the values read back one by one") {
  for (const int d : {32, 128}) {
    CASE(d);
    for (const int bits : {2, 3, 4}) {
      CASE(bits);
      check({d, bits, "none", "keep", 0.02, 0, true});
      check({d, bits, "hamming84", "interpolate", 0.03, 0, true});
    }
    for (const auto& [high, low] : {std::pair{3, 1}, {3, 2}, {4, 2}, {4, 3}, {1, 1}})
      for (const int states : {0, 8}) {
        CASE(high, low, states);
        check({d, 3, "none", "keep", 0.02, states, false, high, low});
        check({d, 3, "golay24", "keep", 0.03, states, false, high, low});
      }
  }
}

TEST_CASE("axelram values are near what was written") {
  const test::TemporaryFolder folder;
  const auto store =
      test::cache(Setup{128, 4, "none", "keep", 0}.specification(folder), {3, 2, 128})
          ->values(0, 0);
  const Floats row = test::gaussian(128, 1);
  store->write(row.data(), 1);
  const float weight = 1;
  Floats out(128);
  store->weighted_sum(&weight, 1, 0, 0, 1, out.data());
  double error = 0, size = 0;
  for (std::size_t i = 0; i < 128; ++i) {
    error += (out[i] - row[i]) * (out[i] - row[i]);
    size += row[i] * row[i];
  }
  CHECK(error / size < 0.02);  // 0.0095 for a Gaussian and 4 bits (Max 1960)
  CHECK(error / size > 0.002);
}

TEST_CASE("the Hadamard transform of floats equals that of integers") {
  std::mt19937 random(1);
  for (int d = 1; d <= 256; d *= 2) {
    CASE(d);
    std::vector<std::int32_t> expected;
    Floats x, scratch(static_cast<std::size_t>(d));
    for (int i = 0; i < d; ++i) {
      expected.push_back(std::uniform_int_distribution<std::int32_t>(-30000, 30000)(random));
      x.push_back(static_cast<float>(expected.back()));
    }
    hadamard_ref(expected.data(), d);
    caches::hadamard(x.data(), scratch.data(), d);
    for (std::size_t i = 0; i < x.size(); ++i)
      CHECK_AT(i, x[i] == static_cast<float>(expected[i]));  // sums below 2^24
  }
}
