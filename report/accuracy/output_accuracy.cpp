#include "axelram/report/output_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "axelram/double_hadamard.hpp"
#include "axelram/half.hpp"

namespace axelram::report {
namespace {

using Doubles = std::vector<double>;

/// exact: [queries, d].
OutputAccuracy compare(const files::Result& result, const Doubles& exact) {
  double errors = 0, squares = 0, largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double error = double{result.output_at(i)} - exact[i];
    errors += error * error;
    squares += exact[i] * exact[i];
    largest = std::max(largest, std::fabs(error));
  }
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  if (squares == 0) return {kUndefined, exact.empty() ? kUndefined : largest};
  return {std::sqrt(errors / squares), largest};
}

/// Shares of the tokens by their logits, in place.
void softmax(Doubles* logits) {
  if (logits->empty()) return;
  const double largest = *std::max_element(logits->begin(), logits->end());
  double sum = 0;
  for (double& x : *logits) sum += x = std::exp(x - largest);
  for (double& x : *logits) x /= sum;
}

/// diag(signs) H x, the inverse of the macro's rotation but for a factor of d.
void rotate_back(const std::vector<std::int8_t>& signs, double* x) {
  hadamard(x, signs.size());
  for (std::size_t i = 0; i < signs.size(); ++i) x[i] *= signs[i];
}

}  // namespace

OutputAccuracy accuracy_over_records(const files::Config& config, const files::Result& result) {
  const auto d = result.head_dim();
  Doubles exact(result.queries * d), shares(result.tokens);
  for (std::size_t q = 0; q < result.queries; ++q) {
    for (std::size_t k = 0; k < result.tokens; ++k)
      shares[k] = static_cast<double>(result.scores[q * result.tokens + k]) * result.score_scale *
                  config.attention.parameters.scale;
    softmax(&shares);
    double* const sum = &exact[q * d];
    for (std::size_t k = 0; k < result.tokens; ++k) {
      const double factor = shares[k] * half_to_double(result.value_norms[k]) * result.score_scale;
      for (std::size_t i = 0; i < d; ++i)
        sum[i] += factor * result.centroids[result.value_indices[k * d + i]];
    }
    rotate_back(config.head_rotation.signs, sum);
  }
  return compare(result, exact);
}

OutputAccuracy accuracy_over_floats(const files::Config& config, const files::Trace& trace,
                                    const files::Result& result) {
  const ElementFormat format = config.parameters.element_format;
  const auto d = result.head_dim();
  const auto decoded = [&](const std::vector<std::uint16_t>& elements) {
    Doubles all;
    for (const std::uint16_t element : elements) all.push_back(element_to_double(element, format));
    return all;
  };
  const Doubles keys = decoded(trace.keys), values = decoded(*trace.values),
                queries = decoded(trace.queries);
  Doubles exact(result.queries * d), shares(result.tokens);
  for (std::size_t q = 0; q < result.queries; ++q) {
    for (std::size_t k = 0; k < result.tokens; ++k) {
      double product = 0;
      for (std::size_t i = 0; i < d; ++i) product += queries[q * d + i] * keys[k * d + i];
      shares[k] = product * config.attention.parameters.scale;
    }
    softmax(&shares);
    for (std::size_t k = 0; k < result.tokens; ++k)
      for (std::size_t i = 0; i < d; ++i) exact[q * d + i] += shares[k] * values[k * d + i];
  }
  return compare(result, exact);
}

}  // namespace axelram::report
