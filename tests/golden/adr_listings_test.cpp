#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "axelram/half.hpp"
#include "axelram/kivi.hpp"
#include "check.hpp"
#include "golden/trace_tensor.hpp"
#include "needs.hpp"

// The listings of ADR-004 (references.md#adr-004) on keys and values of models, beside KIVI as
// specified (bit-contract.md#kivi). Errors are relative, over the tokens that a query sees.

using namespace axelram;

namespace {

constexpr std::size_t kGroup = 32;
using Rows = std::vector<std::vector<double>>;
using Halves = std::vector<std::vector<std::uint16_t>>;
/// Rows to what they decode to.
using Quantizer = std::function<Rows(const Halves&)>;

Rows doubles(const Halves& rows) {
  Rows result;
  for (const auto& row : rows) {
    result.emplace_back();
    for (const std::uint16_t element : row) result.back().push_back(half_to_double(element));
  }
  return result;
}

/// A head of a trace: its queries are those of one or more heads, one after another.
struct Head {
  Halves keys, queries, values;

  Head(const std::string& path, std::size_t d)
      : keys(test::trace_tensor(path, "keys", d)),
        queries(test::trace_tensor(path, "queries", d)) {}
  Head(const std::string& name, std::size_t d, bool) : Head(test::bundled_trace(name), d) {
    values = test::trace_tensor(test::bundled_trace(name), "values", d);
  }
};

/// quantize_keys of the listing: one scale for a channel of all tokens, codes clamped at 0.
Rows listing(const Halves& halves) {
  Rows rows = doubles(halves);
  for (std::size_t c = 0; c < rows.front().size(); ++c) {
    double scale = 0;
    for (const auto& row : rows) scale = std::max(scale, std::abs(row[c]));
    scale /= 3;
    for (auto& row : rows)
      row[c] = scale == 0 ? 0 : std::clamp(std::round(row[c] / scale), 0.0, 3.0) * scale;
  }
  return rows;
}

/// KIVI with groups of 32 tokens of a channel.
template <int bits>
Rows by_channel(const Halves& rows) {
  const std::size_t d = rows.front().size();
  const KiviLayout layout = kivi_key_layout(bits, d, kGroup);
  std::vector<std::uint8_t> block(layout.bytes());
  std::vector<std::uint16_t> x(kGroup * d);
  std::vector<float> out(kGroup * d);
  Rows result;
  for (std::size_t first = 0; first < rows.size(); first += kGroup) {
    for (std::size_t t = 0; t < kGroup; ++t)
      std::copy(rows[first + t].begin(), rows[first + t].end(), x.begin() + std::ptrdiff_t(t * d));
    encode_kivi_ref(layout, x.data(), block.data());
    decode_kivi_ref(layout, block.data(), out.data());
    for (std::size_t t = 0; t < kGroup; ++t)
      result.emplace_back(out.begin() + std::ptrdiff_t(t * d),
                          out.begin() + std::ptrdiff_t((t + 1) * d));
  }
  return result;
}

/// KIVI with groups of 32 channels of a token.
Rows by_token(const Halves& rows) {
  const KiviLayout layout = kivi_value_layout(2, rows.front().size(), kGroup);
  std::vector<std::uint8_t> block(layout.bytes());
  std::vector<float> out(rows.front().size());
  Rows result;
  for (const auto& row : rows) {
    encode_kivi_ref(layout, row.data(), block.data());
    decode_kivi_ref(layout, block.data(), out.data());
    result.emplace_back(out.begin(), out.end());
  }
  return result;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Scores of a query with the keys that it sees.
std::vector<double> scores(const std::vector<double>& query, const Rows& keys, std::size_t seen) {
  std::vector<double> result;
  for (std::size_t t = 0; t < seen; ++t) result.push_back(dot(query, keys[t]));
  return result;
}

double sum_about_mean(const std::vector<double>& values) {
  double mean = 0, sum = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

/// Of scores less their mean over the keys, which softmax does not see.
double score_error(const Head& head, const Quantizer& quantizer) {
  const Rows keys = doubles(head.keys), decoded = quantizer(head.keys);
  const Rows queries = doubles(head.queries);
  double wrong = 0, all = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::size_t seen = i % keys.size() + 1;
    const std::vector<double> exact = scores(queries[i], keys, seen);
    std::vector<double> off = scores(queries[i], decoded, seen);
    for (std::size_t t = 0; t < seen; ++t) off[t] -= exact[t];
    wrong += sum_about_mean(off);
    all += sum_about_mean(exact);
  }
  return std::sqrt(wrong / all);
}

/// Of attention outputs with exact weights.
double output_error(const Head& head, const Quantizer& quantizer) {
  const Rows keys = doubles(head.keys), values = doubles(head.values);
  const Rows queries = doubles(head.queries), decoded = quantizer(head.values);
  const std::size_t d = keys.front().size();
  double wrong = 0, all = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::size_t seen = i % keys.size() + 1;
    std::vector<double> weights = scores(queries[i], keys, seen);
    const double most = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& weight : weights) {
      weight = std::exp((weight - most) / std::sqrt(static_cast<double>(d)));
      sum += weight;
    }
    for (std::size_t c = 0; c < d; ++c) {
      double exact = 0, off = 0;
      for (std::size_t t = 0; t < seen; ++t) {
        exact += weights[t] / sum * values[t][c];
        off += weights[t] / sum * (decoded[t][c] - values[t][c]);
      }
      wrong += off * off;
      all += exact * exact;
    }
  }
  return std::sqrt(wrong / all);
}

double share_of_zeros(const Rows& rows) {
  double zeros = 0, all = 0;
  for (const auto& row : rows)
    for (const double element : row) {
      zeros += element == 0 ? 1 : 0;
      ++all;
    }
  return zeros / all;
}

}  // namespace

TEST_CASE("ADR-004's listing of KIVI loses two thirds of the elements, and twice what KIVI loses") {
  const Head small("byte-llama-d128", 128, true), pretrained("smollm2-135m", 64, true);
  CHECK(share_of_zeros(listing(small.keys)) == doctest::Approx(0.685).epsilon(0.002));
  CHECK(share_of_zeros(listing(pretrained.keys)) == doctest::Approx(0.676).epsilon(0.002));
  CHECK(score_error(small, listing) == doctest::Approx(0.588).epsilon(0.002));
  CHECK(score_error(small, by_channel<2>) == doctest::Approx(0.220).epsilon(0.003));
  CHECK(score_error(pretrained, listing) == doctest::Approx(0.654).epsilon(0.002));
  CHECK(score_error(pretrained, by_channel<2>) == doctest::Approx(0.261).epsilon(0.003));
}

TEST_CASE("keys are better by channel than by token, values of two heads are not worse") {
  const Head small("byte-llama-d128", 128, true), pretrained("smollm2-135m", 64, true);
  CHECK(score_error(small, by_token) == doctest::Approx(0.270).epsilon(0.003));
  CHECK(score_error(pretrained, by_token) == doctest::Approx(0.568).epsilon(0.003));
  CHECK(output_error(small, by_token) == doctest::Approx(0.332).epsilon(0.003));
  CHECK(output_error(small, by_channel<2>) == doctest::Approx(0.271).epsilon(0.003));
  CHECK(output_error(pretrained, by_token) == doctest::Approx(0.392).epsilon(0.003));
  CHECK(output_error(pretrained, by_channel<2>) == doctest::Approx(0.362).epsilon(0.003));
}

TEST_CASE("ADR-004's listing of KIVI on eight heads" * test::needs_data) {
  double listed = 0, kivi2 = 0, kivi4 = 0;
  for (int layer = 0; layer < 4; ++layer)
    for (int kv_head = 0; kv_head < 2; ++kv_head) {
      const Head head(test::data() + "/traces/byte-llama-d128-l" + std::to_string(layer) + "h" +
                          std::to_string(kv_head) + ".safetensors",
                      128);
      listed += score_error(head, listing) / 8;
      kivi2 += score_error(head, by_channel<2>) / 8;
      kivi4 += score_error(head, by_channel<4>) / 8;
    }
  CHECK(listed == doctest::Approx(0.576).epsilon(0.002));
  CHECK(kivi2 == doctest::Approx(0.250).epsilon(0.003));
  CHECK(kivi4 == doctest::Approx(0.0494).epsilon(0.003));
}
