#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

/// Vectors of a Feedback. columns null: rank 1; otherwise u and a are null.
struct FeedbackRows {
  const float *weights, *u, *a, *columns;
};

}  // namespace axelram
