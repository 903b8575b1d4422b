#include "halves.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/half.hpp"

namespace axelram::checkpoints {

void to_halves(const Matrix& matrix, std::size_t first, std::size_t count, const std::string& place,
               std::uint16_t* halves) {
  constexpr std::size_t kRows = 64;   // as floats in memory
  constexpr float kInfinite = 65520;  // the least that rounds to infinity
  std::vector<float> rows(std::min(kRows, count) * matrix.inputs);
  for (std::size_t done = 0; done < count; done += kRows) {
    const std::size_t now = std::min(kRows, count - done);
    matrix.rows(first + done, now, rows.data());
    for (std::size_t i = 0; i < now * matrix.inputs; ++i) {
      if (!(std::abs(rows[i]) < kInfinite))
        throw files::InputError(place + "a weight is " + std::to_string(rows[i]) +
                                ", which F16 cannot hold; use the weights as they are stored");
      halves[done * matrix.inputs + i] = double_to_half(static_cast<double>(rows[i]));
    }
  }
}

}  // namespace axelram::checkpoints
