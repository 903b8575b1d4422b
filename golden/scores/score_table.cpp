#include "axelram/score_table.hpp"

namespace axelram {

void score_table_ref(const std::int32_t* u, int d, const std::int32_t* centroid_words, int levels,
                     std::int32_t* table) {
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < levels; ++j) table[i * levels + j] = u[i] * centroid_words[j];
}

}  // namespace axelram
