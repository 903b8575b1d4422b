#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/device.hpp"
#include "axelram/kernels/weights.hpp"
#include "axelram/parameters.hpp"

/// The layers of a transformer beside its products and its attention, as model/transformer computes
/// them, to the rounding of sums. Floats are in device memory, rows without gaps. Zero
/// rows are allowed. Throws DeviceError for shapes that do not fit.
namespace axelram::kernels {

enum class Into { overwrite, add };

/// x[r] = row index[r] of the table as floats, exact, or x[r] += that: x [count, table.inputs],
/// index [count], below table.outputs. The table is not transposed.
void gather_rows(Stream& stream, const WeightMatrix& table, const std::int32_t* index,
                 std::size_t count, float* x, Into into = Into::overwrite);

/// y = x * weight / sqrt(mean of x^2 + epsilon), row by row; x, y: [rows, width], y may be x.
void rms_norm(Stream& stream, const float* x, std::size_t rows, std::size_t width,
              const float* weight, double epsilon, float* y);

/// y = (x - mean) * weight / sqrt(variance + epsilon) + bias.
void layer_norm(Stream& stream, const float* x, std::size_t rows, std::size_t width,
                const float* weight, const float* bias, double epsilon, float* y);

/// x[r] += bias, of `width` values.
void add_bias(Stream& stream, float* x, std::size_t rows, std::size_t width, const float* bias);

/// y += x; [rows, width] both.
void add_rows(Stream& stream, const float* x, std::size_t rows, std::size_t width, float* y);
/// x *= factor; [rows, width].
void scale_rows(Stream& stream, float* x, std::size_t rows, std::size_t width, float factor);

/// Cosines and sines of a rotary embedding: [positions, pairs]. Pair i of a head is channels 2i and
/// 2i + 1 if interleaved, otherwise i and i + pairs.
struct RotaryAngles {
  const float* cosines = nullptr;
  const float* sines = nullptr;
  std::size_t positions = 0, pairs = 0;
  bool interleaved = false;
};
/// Turns the pairs of every head in place: x [rows, heads, 2 * pairs], position [rows], below
/// angles.positions.
void rotate_pairs(Stream& stream, float* x, std::size_t rows, std::size_t heads,
                  const RotaryAngles& angles, const std::int32_t* position);

/// up = up * gate / (1 + exp(-gate)); [rows, width] both.
void silu_multiply(Stream& stream, const float* gate, std::size_t rows, std::size_t width,
                   float* up);
/// The approximation of GELU by tanh, in place.
void gelu_tanh(Stream& stream, float* x, std::size_t rows, std::size_t width);
/// up = up * gelu_tanh(gate); [rows, width] both.
void gelu_multiply(Stream& stream, const float* gate, std::size_t rows, std::size_t width,
                   float* up);

/// The first float that has no finite element, as (its number << 32) | its bits: the smallest such
/// word, or kAllFit if every float fits.
constexpr unsigned long long kAllFit = ~0ULL;

/// Floats to raw elements (RNE, subnormals kept): x [rows, heads, d] to elements [rows, heads,
/// padded_d], zeros beyond d. *out_of_range_value becomes the minimum of itself and the word of the
/// first float that does not fit. Its number is (first_row + row) * heads * d + head * d + i, which
/// must stay below 2^32. The element of a float that does not fit is undefined.
void to_elements(Stream& stream, const float* x, std::size_t rows, std::size_t heads, std::size_t d,
                 ElementFormat format, std::uint16_t* elements, std::size_t padded_d,
                 std::size_t first_row, unsigned long long* out_of_range_value);

/// y [rows, heads, d] = the first d of every padded_d values of x [rows, heads, padded_d].
void drop_padding(Stream& stream, const float* x, std::size_t rows, std::size_t heads,
                  std::size_t padded_d, std::size_t d, float* y);

}  // namespace axelram::kernels
