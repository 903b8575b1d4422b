#pragma once

#include <cstdint>

namespace axelram::sim {

/// Stalls of the streams: probabilities that a stall starts, per cycle and stream. A stall lasts
/// 1 .. longest cycles. All zero: no stalls.
struct Stalls {
  double input = 0;
  double output = 0;
  int longest = 1;
};

/// Random bits of a driver, and the stalls that they decide.
class StallSource {
 public:
  StallSource(Stalls stalls, std::uint64_t seed) : stalls_(stalls), state_(seed * kStep + 1) {}

  std::uint64_t random() {
    state_ += kStep;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  /// Whether the stream stalls in this cycle.
  bool input() { return stall(stalls_.input, &input_left_); }
  bool output() { return stall(stalls_.output, &output_left_); }
  /// Ends stalls that have begun.
  void end() { input_left_ = output_left_ = 0; }

  const Stalls& stalls() const { return stalls_; }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;

  bool stall(double probability, int* left) {
    if (*left > 0) {
      --*left;
      return true;
    }
    if (probability <= 0) return false;
    if (static_cast<double>(random() >> 11) * 0x1p-53 >= probability) return false;
    *left = static_cast<int>(random() % static_cast<std::uint64_t>(stalls_.longest));
    return true;
  }

  Stalls stalls_;
  std::uint64_t state_;
  int input_left_ = 0, output_left_ = 0;  ///< further cycles of a stall
};

}  // namespace axelram::sim
