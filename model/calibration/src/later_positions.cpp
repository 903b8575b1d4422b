#include "axelram/calibration/later_positions.hpp"

#include <algorithm>
#include <complex>

namespace axelram::calibration {
namespace {

using Complex = std::complex<double>;

/// For each pair of a layer, the turn of window 0, 1, ...: [pairs][windows].
std::vector<std::vector<Complex>> turns_of(const std::vector<double>& frequencies,
                                           std::size_t window, std::size_t windows) {
  std::vector<std::vector<Complex>> turns;
  for (const double frequency : frequencies) {
    std::vector<Complex>& of_pair = turns.emplace_back();
    for (std::size_t w = 0; w < windows; ++w)
      of_pair.push_back(std::polar(1.0, static_cast<double>(w * window) * frequency));
  }
  return turns;
}

/// Turns the block of two pairs of channels: its elements are those of `at[row][column]`.
void turn(const std::vector<Complex>& of_row, const std::vector<Complex>& of_column,
          double* const (&at)[2][2]) {
  Complex difference = 0, sum = 0;  // means of the turns by both angles
  for (std::size_t w = 0; w < of_row.size(); ++w) {
    difference += of_row[w] * std::conj(of_column[w]);
    sum += of_row[w] * of_column[w];
  }
  const auto count = static_cast<double>(of_row.size());
  // A pair as a complex number z: moments of z times the other, conjugate and plain.
  const Complex conjugate =
      Complex(*at[0][0] + *at[1][1], *at[1][0] - *at[0][1]) * difference / count;
  const Complex plain = Complex(*at[0][0] - *at[1][1], *at[1][0] + *at[0][1]) * sum / count;
  *at[0][0] = (conjugate.real() + plain.real()) / 2;
  *at[1][1] = (conjugate.real() - plain.real()) / 2;
  *at[1][0] = (conjugate.imag() + plain.imag()) / 2;
  *at[0][1] = (plain.imag() - conjugate.imag()) / 2;
}

}  // namespace

Queries at_later_positions(Queries queries, std::size_t window, std::size_t positions,
                           const checkpoints::Architecture& a) {
  const std::size_t d = queries.head_dim, pairs = d / 2;
  const bool interleaved = a.positions == checkpoints::Positions::rotary_interleaved;
  const std::size_t step = interleaved ? 2 : 1, apart = interleaved ? 1 : pairs;
  const std::size_t windows = std::max<std::size_t>(1, positions / window);
  for (std::size_t layer = 0; layer < queries.layers; ++layer) {
    const auto turns = turns_of((a.has_local_rotary(layer) ? a.local_rotary : a.rotary).frequencies,
                                window, windows);
    if (turns.empty()) continue;  // positions are learned
    for (std::size_t head = 0; head < queries.heads; ++head) {
      double* const moment = &queries.moments[(layer * queries.heads + head) * d * d];
      for (std::size_t i = 0; i < pairs; ++i)
        for (std::size_t j = 0; j < pairs; ++j) {
          double* const first = moment + i * step * d + j * step;
          turn(turns[i], turns[j],
               {{first, first + apart}, {first + apart * d, first + apart * d + apart}});
        }
    }
  }
  return queries;
}

}  // namespace axelram::calibration
