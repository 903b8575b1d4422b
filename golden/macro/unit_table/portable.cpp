#include "axelram/trellis.hpp"
#include "scores/query_rounding/round_elements.hpp"
#include "scores/score/round_scores.hpp"
#include "simd/level_units.hpp"

namespace axelram::portable {
namespace {

/// RNE(x * 2^-e) of an element with `fraction_bits` fraction bits, without branches. The
/// significand is shifted left for the largest binade, plus one bit so that the shift back is never
/// zero.
template <int fraction_bits, int bias, int max_field>
void scale(const std::uint16_t* x, int d, int e, std::int32_t* m) {
  // x = significand * 2^(field - bias - fraction_bits); m = RNE(significand * 2^-shift).
  const int offset = e + bias + fraction_bits;
  for (int i = 0; i < d; ++i) {
    const int raw_field = (x[i] >> fraction_bits) & max_field;
    const int hidden = raw_field == 0 ? 0 : 1 << fraction_bits;
    const int significand = (x[i] & ((1 << fraction_bits) - 1)) | hidden;
    const int shift = offset - (raw_field == 0 ? 1 : raw_field);
    constexpr int kLift = 12;  // 20-bit significands lift the largest binade by up to 11
    const int total = shift + kLift < 31 ? shift + kLift : 31;
    const std::int32_t lifted = significand << kLift;
    const std::int32_t below_half = ((1 << (total - 1)) - 1) + ((lifted >> total) & 1);
    const std::int32_t magnitude = (lifted + below_half) >> total;
    m[i] = (x[i] & 0x8000) != 0 ? -magnitude : magnitude;
  }
}

template <int index_bits>
void pack_indices(const std::uint8_t* indices, int d, std::uint8_t* record) {
  for (int i = 0; i < d; i += 8, record += index_bits) {
    std::uint32_t bits = 0;
    for (int j = 0; j < 8; ++j)
      bits |= static_cast<std::uint32_t>(indices[i + j]) << (j * index_bits);
    for (int byte = 0; byte < index_bits; ++byte)
      record[byte] = static_cast<std::uint8_t>((bits >> (8 * byte)) & 0xFF);
  }
}

template <int index_bits, bool trellis>
std::int32_t dot_one(const DotQuery& query, const std::uint8_t* record) {
  std::int32_t sum = 0;
  unsigned state = 0;
  for (int i = 0; i < query.head_dim; i += 8, record += index_bits) {
    std::uint32_t bits = 0;
    for (int byte = 0; byte < index_bits; ++byte)
      bits |= static_cast<std::uint32_t>(record[byte]) << (8 * byte);
    for (int j = 0; j < 8; ++j) {
      const std::uint32_t index = (bits >> (j * index_bits)) & ((1u << index_bits) - 1);
      std::uint32_t level = index;
      if (trellis) {
        level = 4 * (index >> 1) +
                static_cast<unsigned>(trellis_subset(query.states, state, index & 1U));
        state = 2 * state + (index & 1U);
      }
      sum += query.u[i + j] * query.centroids[level];
    }
  }
  return sum;
}

}  // namespace

std::uint16_t max_magnitude(const std::uint16_t* x, int d) {
  int max = 0;
  for (int i = 0; i < d; ++i) {
    const int magnitude = x[i] & 0x7FFF;
    max = magnitude > max ? magnitude : max;
  }
  return static_cast<std::uint16_t>(max);
}

void scale_fp16(const std::uint16_t* x, int d, int e, std::int32_t* m) {
  scale<10, 15, 31>(x, d, e, m);
}

void scale_bf16(const std::uint16_t* x, int d, int e, std::int32_t* m) {
  scale<7, 127, 255>(x, d, e, m);
}

std::uint64_t square_sum(const std::int32_t* m, int d) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += static_cast<std::int64_t>(m[i]) * m[i];
  return static_cast<std::uint64_t>(sum);
}

std::int64_t correlation(const std::int32_t* y, const std::uint8_t* indices, int d,
                         const std::int32_t* centroids, int /*levels*/) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += static_cast<std::int64_t>(y[i]) * centroids[indices[i]];
  return sum;
}

void residual(const std::int32_t* y, const std::uint8_t* indices, int d,
              const std::int32_t* reconstructions, int /*levels*/, std::int32_t* difference) {
  for (int i = 0; i < d; ++i) difference[i] = y[i] - reconstructions[indices[i]];
}

std::int64_t accumulate_copy(const std::int32_t* u, const std::int16_t* copy, int d) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += u[i] * copy[i];
  return sum;
}

void weighted_sums(const std::uint8_t* levels, const std::uint32_t* weights, std::size_t tokens,
                   int d, const std::int32_t* centroids, int count, std::int64_t* acc) {
  for (std::size_t t = 0; t < tokens; ++t, levels += d) {
    std::int64_t products[32];
    for (int j = 0; j < count; ++j) products[j] = std::int64_t{weights[t]} * centroids[j];
    for (int i = 0; i < d; ++i) acc[i] += products[levels[i]];
  }
}

void hadamard(std::int32_t* x, int d) {
  for (int stride = 1; stride < d; stride *= 2) {
    for (int block = 0; block < d; block += 2 * stride) {
      for (int i = block; i < block + stride; ++i) {
        const std::int32_t sum = x[i] + x[i + stride];
        const std::int32_t difference = x[i] - x[i + stride];
        x[i] = sum;
        x[i + stride] = difference;
      }
    }
  }
}

void apply_signs(const std::int8_t* signs, std::int32_t* x, int d) {
  for (int i = 0; i < d; ++i) x[i] *= signs[i];
}

int round_elements(const std::int32_t* y, int d, int bits, std::int32_t* u) {
  return round_all_elements(y, d, bits, u);
}

void quantize(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,
              std::uint8_t* indices) {
  for (int i = 0; i < d; ++i) {
    int index = 0;
    for (int j = 0; j < count; ++j) index += y[i] > thresholds[j] ? 1 : 0;
    indices[i] = static_cast<std::uint8_t>(index);
  }
}

std::uint32_t encode_trellis(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                             int index_bits, std::uint32_t root, int states,
                             std::uint8_t* indices) {
  return encode_trellis_ref(y, d, reconstructions, index_bits, root, states, indices);
}

void pack(const std::uint8_t* indices, int d, int index_bits, std::uint8_t* record) {
  if (index_bits == 1) return pack_indices<1>(indices, d, record);
  if (index_bits == 2) return pack_indices<2>(indices, d, record);
  if (index_bits == 3) return pack_indices<3>(indices, d, record);
  pack_indices<4>(indices, d, record);
}

void dot(const DotQuery& query, const Records& records, std::int32_t* acc) {
  const bool trellis = query.states != 0;
  const auto one = query.index_bits == 1   ? (trellis ? dot_one<1, true> : dot_one<1, false>)
                   : query.index_bits == 2 ? (trellis ? dot_one<2, true> : dot_one<2, false>)
                   : query.index_bits == 3 ? (trellis ? dot_one<3, true> : dot_one<3, false>)
                                           : (trellis ? dot_one<4, true> : dot_one<4, false>);
  for (std::size_t k = 0; k < records.count; ++k)
    acc[k] = one(query, records.first + k * records.stride);
}

void round_direct(const std::int32_t* acc, const ScoreRounding& rounding) {
  round_scores_direct(acc, rounding);
}

std::size_t round_any(const std::int64_t* acc, const ScoreRounding& rounding) {
  return round_scores_any(acc, rounding);
}

void round_sums(const SumRounding& rounding) { round_score_sums(rounding); }

}  // namespace axelram::portable
