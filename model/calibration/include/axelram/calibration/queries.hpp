#pragma once

#include <cstddef>
#include <vector>

#include "axelram/calibration/keys.hpp"

namespace axelram::calibration {

/// What the queries of a model look for, from the windows that gave the keys, after rotary
/// embedding.
struct Queries {
  /// A token whose queries were kept.
  struct Place {
    std::size_t row;  ///< of Keys
    std::size_t
        first;  ///< row of the first token that the query attends to in a layer of full span
  };

  std::size_t layers = 0, heads = 0;  ///< KV heads
  std::size_t group = 0;              ///< query heads of a KV head
  std::size_t head_dim = 0;
  double attention_scale = 1;      ///< factor of a score before softmax
  std::vector<std::size_t> spans;  ///< attention span of each layer, 0: all tokens before
  std::vector<Place> places;       ///< by row
  std::vector<float> values;       ///< [layers, heads, places, group, d]
  std::vector<double> moments;     ///< [layers, heads, d, d]: mean of q q^T over all queries

  const float* at(std::size_t layer, std::size_t head, std::size_t place) const {
    return &values[((layer * heads + head) * places.size() + place) * group * head_dim];
  }
  const double* moment(std::size_t layer, std::size_t head) const {
    return &moments[(layer * heads + head) * head_dim * head_dim];
  }
  /// First row that the query of a place attends to in a layer.
  std::size_t oldest(std::size_t layer, const Place& place) const;
};

}  // namespace axelram::calibration
