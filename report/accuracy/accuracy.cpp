#include "axelram/report/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/double_hadamard.hpp"
#include "axelram/half.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/run/gaussian_trace.hpp"
#include "axelram/trellis.hpp"

namespace axelram::report {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Rows = std::vector<double>;

Rows decode(const std::vector<std::uint16_t>& raw, ElementFormat format) {
  Rows values(raw.size());
  std::transform(raw.begin(), raw.end(), values.begin(),
                 [&](std::uint16_t bits) { return element_to_double(bits, format); });
  return values;
}

/// Element i of every row times 2^(sign * eta_i), with exponents.
Rows balanced(const files::Config& config, Rows rows, int sign) {
  const std::vector<std::int8_t>& exponents = config.head_rotation.balance;
  if (!exponents.empty())
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = std::ldexp(rows[i], sign * exponents[i % exponents.size()]);
  return rows;
}

/// Queries before rotation.
Rows queries_of(const files::Config& config, const files::Trace& trace) {
  return balanced(config, decode(trace.queries, trace.element_format), 1);
}

/// Keys before rotation: k, or k - c with a center, which is that of balanced keys.
Rows keys_of(const files::Config& config, const files::Trace& trace) {
  Rows keys = balanced(config, decode(trace.keys, trace.element_format), -1);
  const Rows center = decode(config.center, config.parameters.element_format);
  if (!center.empty())
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] -= center[i % center.size()];
  return keys;
}

double inner_product(const double* a, const double* b, std::size_t d) {
  double sum = 0;
  for (std::size_t i = 0; i < d; ++i) sum += a[i] * b[i];
  return sum;
}

/// log of the sum of exp(x_i * scale).
double log_sum_exp(const double* x, std::size_t count, double scale) {
  const double largest = *std::max_element(x, x + count) * scale;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::exp(x[i] * scale - largest);
  return largest + std::log(sum);
}

double attention_kl(const double* exact, const double* macro, std::size_t count, double scale) {
  const double exact_norm = log_sum_exp(exact, count, scale);
  const double macro_norm = log_sum_exp(macro, count, scale);
  double kl = 0;
  for (std::size_t t = 0; t < count; ++t) {
    const double log_weight = exact[t] * scale - exact_norm;
    kl += std::exp(log_weight) * (log_weight - (macro[t] * scale - macro_norm));
  }
  return kl;
}

double correlation(const Rows& a, const Rows& b) {
  const auto mean = [](const Rows& x) {
    double sum = 0;
    for (const double value : x) sum += value;
    return sum / static_cast<double>(x.size());
  };
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return ab / (std::sqrt(aa) * std::sqrt(bb));
}

/// H_d diag(s) x in FP64.
void rotate(const std::int8_t* signs, double* x, std::size_t d) {
  for (std::size_t i = 0; i < d; ++i) x[i] *= signs[i];
  hadamard(x, d);
}

}  // namespace

ScoreAccuracy score_accuracy(const files::Config& config, const files::Trace& trace,
                             const files::Result& result) {
  const auto d = static_cast<std::size_t>(trace.head_dim);
  const std::size_t keys = trace.key_count();
  const std::size_t queries = trace.query_count();
  if (keys * queries == 0) return {0, kNone, kNone, kNone, kNone, kNone};
  const Rows key = keys_of(config, trace);
  const Rows query = queries_of(config, trace);
  const double attention_scale = 1.0 / std::sqrt(static_cast<double>(d));

  Rows exact(keys * queries);
  Rows macro(keys * queries);
  double squared_error = 0, squared = 0, largest_error = 0, kl = 0;
  std::size_t agreed = 0;
  for (std::size_t q = 0; q < queries; ++q) {
    double* const e = exact.data() + q * keys;
    double* const m = macro.data() + q * keys;
    for (std::size_t t = 0; t < keys; ++t) {
      e[t] = inner_product(query.data() + q * d, key.data() + t * d, d);
      m[t] = static_cast<double>(result.scores[q * keys + t]) * result.score_scale;
      squared_error += (m[t] - e[t]) * (m[t] - e[t]);
      squared += e[t] * e[t];
      largest_error = std::max(largest_error, std::abs(m[t] - e[t]));
    }
    kl += attention_kl(e, m, keys, attention_scale);
    agreed += std::max_element(e, e + keys) - e == std::max_element(m, m + keys) - m ? 1 : 0;
  }
  const auto count = static_cast<double>(queries);
  return {keys * queries, std::sqrt(squared_error / squared),
          largest_error,  correlation(exact, macro),
          kl / count,     static_cast<double>(agreed) / count};
}

ScoreErrors score_errors(const files::Config& config, const files::Trace& trace,
                         const files::Result& result) {
  constexpr std::size_t kBins = 80;
  constexpr double kReach = 5;  // standard deviations
  const auto d = static_cast<std::size_t>(trace.head_dim);
  const Rows key = keys_of(config, trace);
  const Rows query = queries_of(config, trace);
  const auto norm = [&](const Rows& rows, std::size_t row) {
    return std::sqrt(inner_product(rows.data() + row * d, rows.data() + row * d, d));
  };
  Rows norms(trace.key_count()), errors;
  for (std::size_t t = 0; t < norms.size(); ++t) norms[t] = norm(key, t);
  for (std::size_t q = 0; q < trace.query_count(); ++q) {
    const double scale = norm(query, q) / std::sqrt(static_cast<double>(d));
    for (std::size_t t = 0; t < norms.size(); ++t) {
      if (scale == 0 || norms[t] == 0) continue;
      const double exact = inner_product(query.data() + q * d, key.data() + t * d, d);
      const double macro = result.scores[q * norms.size() + t] * result.score_scale;
      errors.push_back((macro - exact) / (scale * norms[t]));
    }
  }
  ScoreErrors all;
  all.pairs = errors.size();
  const auto count = static_cast<double>(errors.size());
  for (const double error : errors) {
    all.mean += error / count;
    all.largest = std::max(all.largest, std::abs(error));
  }
  double squares = 0;
  for (const double error : errors) squares += (error - all.mean) * (error - all.mean);
  if (errors.empty() || squares == 0) return all;
  all.standard_deviation = std::sqrt(squares / count);
  all.width = 2 * kReach * all.standard_deviation / kBins;
  all.counts.resize(kBins);
  for (const double error : errors) {
    const double place = std::floor(error / all.width) + kBins / 2.0;
    if (place < 0 || place >= kBins)
      ++all.outside;
    else
      ++all.counts[static_cast<std::size_t>(place)];
  }
  return all;
}

KeyDistortion key_distortion(const files::Config& config, const files::Trace& trace,
                             const files::Result& result) {
  const auto d = static_cast<std::size_t>(trace.head_dim);
  const Parameters& whole = config.parameters;
  const std::vector<std::uint16_t> order =
      channel_order(config.head_rotation.high_channels, whole.head_dim);
  const std::vector<std::uint8_t>& chosen = whole.trellis() ? result.levels : result.indices;
  const Rows keys = keys_of(config, trace);
  std::uint64_t coordinates = 0;
  double exact = 0, stored = 0;
  std::size_t first_word = 0;
  for (int j = 0; j < (whole.split() ? 2 : 1); ++j) {
    const Parameters p = rtl::part_parameters(whole, j);
    const std::vector<double> levels =
        p.trellis() ? trellis_levels(p.index_bits)
                    : solve_codebook(p.codebook, p.head_dim, p.codebook_bits()).centroids;
    const auto size = static_cast<std::size_t>(p.head_dim),
               first = static_cast<std::size_t>(j) * size;
    const double kappa = j == 0 ? result.kappa : result.second_kappa;
    Rows part(size);
    for (std::size_t t = 0; t < trace.key_count(); ++t) {
      for (std::size_t i = 0; i < size; ++i)
        part[i] = keys[t * d + (order.empty() ? i : order[first + i])];
      const double norm = std::sqrt(inner_product(part.data(), part.data(), size));
      if (norm == 0) continue;
      // Scales the length by sqrt(d): the mean square is norm^2.
      rotate(&config.head_rotation.signs[first], part.data(), size);
      for (std::size_t i = 0; i < size; ++i) {
        const double z = part[i] / norm;
        const std::size_t index = chosen[t * d + first + i];
        const double gamma = levels[index];
        const double word = result.centroids[first_word + index] / kappa;
        exact += (z - gamma) * (z - gamma);
        stored += (z - word) * (z - word);
      }
      coordinates += size;
    }
    first_word += levels.size();
  }
  const auto count = static_cast<double>(coordinates);
  return {coordinates, exact / count, stored / count};
}

GaussianTest gaussian_test(const files::Config& config) {
  constexpr std::size_t kKeys = 4096, kQueries = 16;
  constexpr std::uint64_t kSeed = 1;
  files::Config plain = config;
  plain.parameters.centered = false;
  plain.center.clear();
  plain.parameters.balanced = false;
  plain.head_rotation.balance.clear();
  plain.max_keys = static_cast<int>(kKeys);
  return {plain, run::gaussian_trace(plain.parameters, kKeys, kQueries, kSeed)};
}

}  // namespace axelram::report
