#pragma once

#include <cstddef>
#include <cstdint>

/// Baselines of the units of the tiered cache, compiled with -O3 and the instruction set of the
/// level under test.
namespace baselines {

/// Eigen's FP32 product of `keys`, [count, d] row by row or column by column, with `queries`
/// queries of d; scores are [queries, count].
void eigen_scores(const float* keys, bool by_rows, const float* query, std::size_t queries,
                  std::size_t count, std::size_t d, float* scores);

/// Eigen's FP32 product of weights, [queries, count], with `values`, [count, d] row by row; sums
/// are [queries, d].
void eigen_sums(const float* values, const float* weights, std::size_t queries, std::size_t count,
                std::size_t d, float* sums);

/// A key block of 32 tokens, or a value row with groups of 32, by encode_kivi_ref and
/// decode_kivi_ref.
constexpr std::size_t kGroup = 32;
void encode_kivi(int bits, std::size_t d, bool keys, const std::uint16_t* x, std::uint8_t* block);
void decode_kivi(int bits, std::size_t d, bool keys, const std::uint8_t* block, float* x);

/// Blocks and rows of one shape by encode_squat_ref, and by encode_nuq_key_ref and
/// encode_nuq_value_ref with two outliers.
class Squat {
 public:
  Squat(int bits, std::size_t d, std::size_t channels, const std::int16_t* matrices,
        std::size_t count, int exponent);
  ~Squat();
  Squat(const Squat&) = delete;
  Squat& operator=(const Squat&) = delete;
  void encode(const std::uint16_t* x, std::uint8_t* block) const;

 private:
  struct State;
  State* state_;
};

class Nuq {
 public:
  Nuq(int bits, std::size_t d, const std::uint16_t* centroids, const std::uint16_t* middles,
      const std::uint16_t* radii);
  ~Nuq();
  Nuq(const Nuq&) = delete;
  Nuq& operator=(const Nuq&) = delete;
  void encode(bool keys, const std::uint16_t* x, std::uint8_t* row) const;

 private:
  struct State;
  State* state_;
};

}  // namespace baselines
