#include <algorithm>
#include <array>
#include <cmath>

#include "axelram/feedback.hpp"
#include "axelram/trellis.hpp"

namespace axelram {
namespace {

constexpr double kDamping = 0.01;  // of the mean eigenvalue

/// H diag(s) x / sqrt(d), in place.
void rotate_unit(const std::int8_t* signs, double* x, int d) {
  for (int i = 0; i < d; ++i) x[i] *= signs[i] / std::sqrt(d);
  for (int step = 1; step < d; step *= 2)
    for (int i = 0; i < d; ++i)
      if ((i & step) == 0) {
        const double low = x[i], high = x[i + step];
        x[i] = low + high;
        x[i + step] = low - high;
      }
}

Feedback rank1_feedback(const QueryMoment& moment, const std::int8_t* signs, int d) {
  const auto size = static_cast<std::size_t>(d);
  std::vector<double> u(moment.direction.begin(), moment.direction.end());
  rotate_unit(signs, u.data(), d);
  Feedback feedback;
  feedback.u.assign(u.begin(), u.end());
  feedback.a.resize(size);
  feedback.weights.resize(size, 1.0F);
  if (moment.alpha == 0) return feedback;
  double c = 1 / double{moment.alpha};
  for (std::size_t i = size; i-- > 0;) {
    const double square = u[i] * u[i];
    feedback.weights[i] = static_cast<float>(1 + square / c);
    c += square;
    feedback.a[i] = static_cast<float>(u[i] / c);
  }
  return feedback;
}

/// R M R^T of the rotation R = H diag(s) / sqrt(d).
std::vector<double> rotated_moment(const std::vector<float>& moment, const std::int8_t* signs,
                                   int d) {
  const auto size = static_cast<std::size_t>(d);
  std::vector<double> m(moment.begin(), moment.end());
  for (int pass = 0; pass < 2; ++pass) {  // rows, then the rows of the transposed
    for (std::size_t i = 0; i < size; ++i) rotate_unit(signs, &m[i * size], d);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < i; ++j) std::swap(m[i * size + j], m[j * size + i]);
  }
  return m;
}

Feedback full_feedback(const QueryMoment& moment, const std::int8_t* signs, int d) {
  const auto size = static_cast<std::size_t>(d);
  std::vector<double> m = rotated_moment(moment.full, signs, d);
  double trace = 0;
  for (std::size_t i = 0; i < size; ++i) trace += m[i * size + i];
  // The mean eigenvalue is 1 then, so that costs stay in the range of a float.
  for (double& element : m) element = trace > 0 ? element * d / trace : 0;
  // Any positive weight does for a moment of 0: nothing is fed back.
  for (std::size_t i = 0; i < size; ++i) m[i * size + i] += trace > 0 ? kDamping : 1;

  Feedback feedback;
  feedback.weights.resize(size);
  feedback.columns.resize(size * size);
  // M = G^T diag(w) G from its last row and column on.
  for (std::size_t k = size; k-- > 0;) {
    const double weight = m[k * size + k];
    feedback.weights[k] = static_cast<float>(weight);
    for (std::size_t j = 0; j < k; ++j) {
      const double g = m[k * size + j] / weight;
      feedback.columns[j * size + k] = static_cast<float>(g);
      for (std::size_t i = 0; i <= j; ++i) m[j * size + i] -= g * m[k * size + i];
    }
  }
  return feedback;
}

/// The errors so far, as they move the elements to come: A of rank 1, or a sum for each element.
class FedErrors {
 public:
  FedErrors(const Feedback& feedback, int d)
      : feedback_(&feedback), sums_(feedback.full() ? static_cast<std::size_t>(d) : 1) {}

  float target(std::int32_t y, int i) const {
    const auto at = static_cast<std::size_t>(i);
    const auto element = static_cast<float>(y);
    return feedback_->full() ? element + sums_[at] : element + feedback_->a[at] * sums_[0];
  }
  /// Element i became y - error.
  void add(int i, float error) {
    const auto at = static_cast<std::size_t>(i);
    if (!feedback_->full()) {
      sums_[0] += feedback_->u[at] * error;
      return;
    }
    const std::size_t d = sums_.size();
    const float* const column = &feedback_->columns[at * d];
    for (std::size_t k = at + 1; k < d; ++k) sums_[k] += column[k] * error;
  }

 private:
  const Feedback* feedback_;
  std::vector<float> sums_;
};

/// The index of the level next to x; the lower one if two are.
std::uint8_t nearest_level(float x, const float* levels, int count) {
  int index = 0;
  for (int j = 0; j + 1 < count; ++j) index += x > (levels[j] + levels[j + 1]) / 2 ? 1 : 0;
  return static_cast<std::uint8_t>(index);
}

void encode_each(const Feedback& feedback, const std::int32_t* y, int d, const float* levels,
                 int count, std::uint8_t* indices) {
  FedErrors memory(feedback, d);
  for (int i = 0; i < d; ++i) {
    indices[i] = nearest_level(memory.target(y[i], i), levels, count);
    memory.add(i, static_cast<float>(y[i]) - levels[indices[i]]);
  }
}

/// The cheapest path to a state, if there is one.
struct FedPath {
  bool reached = false;
  float cost = 0;
  FedErrors memory;
};

void encode_path(const Feedback& feedback, const std::int32_t* y, int d, const float* levels,
                 int count, int states, std::uint8_t* indices) {
  constexpr int kSubsets = 4;
  const auto all = static_cast<std::size_t>(states);
  std::vector<FedPath> survivors(all, FedPath{false, 0, FedErrors(feedback, d)}), next = survivors;
  survivors[0].reached = true;
  struct Step {
    std::uint8_t from = 0, index = 0;
    float error = 0;
  };
  std::vector<Step> steps(static_cast<std::size_t>(d) * all);
  for (int i = 0; i < d; ++i) {
    Step* const step = &steps[static_cast<std::size_t>(i) * all];
    for (FedPath& one : next) one.reached = false;
    for (std::size_t state = 0; state < all; ++state) {
      if (!survivors[state].reached) continue;
      const float target = survivors[state].memory.target(y[i], i);
      for (unsigned x = 0; x < 2; ++x) {
        int level = trellis_subset(states, static_cast<unsigned>(state), x);
        for (int other = level + kSubsets; other < count; other += kSubsets)
          if (std::abs(target - levels[other]) < std::abs(target - levels[level])) level = other;
        const float delta = target - levels[level];
        const float cost =
            survivors[state].cost + feedback.weights[static_cast<std::size_t>(i)] * (delta * delta);
        const std::size_t to = (2 * state + x) % all;
        if (next[to].reached && cost >= next[to].cost) continue;
        next[to].reached = true;
        next[to].cost = cost;
        step[to] = {static_cast<std::uint8_t>(state),
                    static_cast<std::uint8_t>(level / kSubsets * 2 + static_cast<int>(x)),
                    static_cast<float>(y[i]) - levels[level]};
      }
    }
    for (std::size_t to = 0; to < all; ++to) {
      if (!next[to].reached) continue;
      next[to].memory = survivors[step[to].from].memory;
      next[to].memory.add(i, step[to].error);
    }
    survivors.swap(next);
  }
  std::size_t state = 0;
  for (std::size_t other = 1; other < all; ++other)
    if (survivors[other].reached && survivors[other].cost < survivors[state].cost) state = other;
  for (int i = d - 1; i >= 0; --i) {
    const Step& step = steps[static_cast<std::size_t>(i) * all + state];
    indices[i] = step.index;
    state = step.from;
  }
}

}  // namespace

Feedback make_feedback(const QueryMoment& moment, const std::int8_t* signs, int d) {
  return moment.full.empty() ? rank1_feedback(moment, signs, d) : full_feedback(moment, signs, d);
}

std::shared_ptr<const Feedback> feedback_of(const QueryMoment& moment, const std::int8_t* signs,
                                            int d) {
  if (moment.full.empty() && moment.alpha == 0) return nullptr;
  return std::make_shared<const Feedback>(make_feedback(moment, signs, d));
}

void encode_feedback_ref(const Feedback& feedback, const std::int32_t* y, std::size_t keys, int d,
                         const float* levels, int index_bits, int states, std::uint8_t* indices) {
  const int count = (states == 0 ? 1 : 2) << index_bits;
  for (; keys > 0; --keys, y += d, levels += count, indices += d) {
    if (states == 0)
      encode_each(feedback, y, d, levels, count, indices);
    else
      encode_path(feedback, y, d, levels, count, states, indices);
  }
}

double norm_factor_ref(const Feedback& feedback, const std::int32_t* y, int d, const float* levels,
                       const std::uint8_t* chosen) {
  if (!feedback.full()) return 1;
  const auto size = static_cast<std::size_t>(d);
  std::vector<double> gy(size), gx(size);  // G y, G x
  double yy = 0, yx = 0, ymy = 0, ymx = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double element = y[i], level = double{levels[chosen[i]]};
    yy += element * element;
    yx += element * level;
    gy[i] += element;
    gx[i] += level;
    ymy += double{feedback.weights[i]} * gy[i] * gy[i];
    ymx += double{feedback.weights[i]} * gy[i] * gx[i];
    const float* const column = &feedback.columns[i * size];
    for (std::size_t k = i + 1; k < size; ++k) {
      gy[k] += double{column[k]} * element;
      gx[k] += double{column[k]} * level;
    }
  }
  if (yy == 0 || yx <= 0) return 1;
  return ymx <= 0 ? 2.0 : std::clamp(ymy / ymx * yx / yy, 0.5, 2.0);
}

}  // namespace axelram
