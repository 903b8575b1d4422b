#include "axelram/checkpoints/matrix.hpp"

#include <vector>

namespace axelram::checkpoints {

void Matrix::rows(std::size_t first, std::size_t count, float* rows) const {
  if (!transposed) {
    for (std::size_t o = 0; o < count; ++o) {
      const std::size_t place = paired_head == 0 ? first + o : paired_place(first + o, paired_head);
      weights::to_floats(type, data + weights::bytes_of(type, place * stride), inputs,
                         rows + o * inputs);
    }
    return;
  }
  std::vector<float> column(count);
  for (std::size_t i = 0; i < inputs; ++i) {
    weights::to_floats(type, data + weights::bytes_of(type, i * stride + first), count,
                       column.data());
    for (std::size_t o = 0; o < count; ++o) rows[o * inputs + i] = column[o];
  }
}

}  // namespace axelram::checkpoints
