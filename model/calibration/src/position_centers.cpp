#include "axelram/calibration/position_centers.hpp"

#include <complex>
#include <vector>

namespace axelram::calibration {

files::PositionCenters position_centers(const Keys& keys, std::size_t window,
                                        const checkpoints::Architecture& a, int block) {
  const std::size_t d = keys.head_dim, pairs = d / 2;
  files::PositionCenters all{keys.layers, keys.heads, d, {}, {}, block, false};
  all.interleaved = a.positions == checkpoints::Positions::rotary_interleaved;
  const std::size_t step = all.interleaved ? 2 : 1, apart = all.interleaved ? 1 : pairs;
  all.centers.resize(keys.layers * keys.heads * d);
  for (std::size_t layer = 0; layer < keys.layers; ++layer) {
    const std::vector<double> known =
        (a.has_local_rotary(layer) ? a.local_rotary : a.rotary).frequencies;
    for (std::size_t i = 0; i < pairs; ++i) {
      const double frequency = known.empty() ? 0 : known[i];  // empty: positions are learned
      all.frequencies.push_back(static_cast<float>(frequency));
      std::vector<std::complex<double>> back;
      for (std::size_t t = 0; t < window; ++t)
        back.push_back(std::polar(1.0, -static_cast<double>(t) * frequency));
      for (std::size_t head = 0; head < keys.heads; ++head) {
        const float* const rows = keys.of(layer, head) + i * step;
        std::complex<double> sum = 0;
        for (std::size_t r = 0; r < keys.rows; ++r)
          sum += back[r % window] * std::complex<double>(rows[r * d], rows[r * d + apart]);
        sum /= static_cast<double>(keys.rows);
        float* const center = &all.centers[(layer * keys.heads + head) * d + i * step];
        center[0] = static_cast<float>(sum.real());
        center[apart] = static_cast<float>(sum.imag());
      }
    }
  }
  return all;
}

}  // namespace axelram::calibration
