#include "axelram_stores.hpp"

namespace axelram::caches {
namespace {

/// score * score_scale (bit contract, read path step 5), rounded to float once.
void scale(float* scores, std::size_t count, double factor) {
  for (std::size_t t = 0; t < count; ++t)
    scores[t] = static_cast<float>(static_cast<double>(scores[t]) * factor);
}

}  // namespace

AxelramKeys::AxelramKeys(const AxelramUnits& units, const Place& place)
    : rows_(units, place), element_row_(place, units.family().parameters()) {}

void AxelramKeys::score(const float* queries, std::size_t count, std::size_t first,
                        std::size_t stride, float* scores) {
  Datapath& datapath = rows_.datapath();
  const auto d = static_cast<std::size_t>(datapath.parameters().head_dim);
  const RowMemory& memory = rows_.memory();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t token = first + i;
    float* const row = scores + i * stride;
    datapath.round(element_row_.of(queries + i * d, "query", token), &query_);
    datapath.score(query_, memory.row(0), token + 1, row);
    if (const std::uint8_t* const last = memory.as_last(token))
      datapath.score(query_, last, 1, row + token);
    scale(row, token + 1, datapath.rom().score_scale);
  }
}

}  // namespace axelram::caches
