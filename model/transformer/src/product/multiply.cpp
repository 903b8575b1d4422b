#include "lanes.hpp"
#include "product/product.hpp"

// Rows of b have numbers; those whose numbers have the same quotient by kSummedTogether are a
// piece. Within a piece products are added in order, from zero; the sums of the pieces are added in
// order in FP64. Neither the number of rows of a nor rows of b with weights of zero have a part in
// it.

namespace axelram::transformer::AXELRAM_LEVEL {
namespace {

/// Rows of a, and columns of b that become the same columns of the result.
struct Strip {
  Rows a, b;
  std::size_t first;  ///< number of row 0 of b
  MutableRows c;

  Strip rows(std::size_t row, std::size_t count) const {
    return {{a.data + row * a.stride, count, a.columns, a.stride},
            b,
            first,
            {c.data + row * c.stride, count, c.columns, c.stride}};
  }
  Strip columns(std::size_t column, std::size_t count) const {
    return {a,
            {b.data + column, b.rows, count, b.stride},
            first,
            {c.data + column, c.rows, count, c.stride}};
  }
};

/// A vector of a row of b, whose missing columns are zeros.
template <bool narrow>
Vector elements_at(const float* row, std::size_t columns) {
  if constexpr (!narrow) return load<Vector>(row);
  float elements[kWidth] = {};
  for (std::size_t i = 0; i < columns; ++i) elements[i] = row[i];
  return load<Vector>(elements);
}

/// `rows` rows and `vectors` vectors of columns; narrow: less than one vector.
template <std::size_t rows, std::size_t vectors, bool narrow = false>
void tile(const Strip& strip) {
  constexpr std::size_t size = vectors * kWidth;
  const Rows &a = strip.a, &b = strip.b;
  double totals[rows * size] = {};
  for (std::size_t t = 0; t < b.rows;) {
    const std::size_t left = kSummedTogether - (strip.first + t) % kSummedTogether;
    const std::size_t end = t + smaller(b.rows - t, left);
    Vector sums[rows][vectors] = {};
    for (; t < end; ++t) {
      Vector elements[vectors];
      for (std::size_t v = 0; v < vectors; ++v)
        elements[v] = elements_at<narrow>(b.data + t * b.stride + v * kWidth, b.columns);
#pragma GCC unroll 6
      for (std::size_t r = 0; r < rows; ++r) {
        const Vector weight = splat(a.data[r * a.stride + t]);
#pragma GCC unroll 8
        for (std::size_t v = 0; v < vectors; ++v)
          sums[r][v] = add_product(weight, elements[v], sums[r][v]);
      }
    }
    float piece[rows * size];
    std::memcpy(piece, sums, sizeof piece);
    for (std::size_t i = 0; i < rows * size; ++i) totals[i] += double{piece[i]};
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < (narrow ? b.columns : size); ++i)
      strip.c.data[r * strip.c.stride + i] = static_cast<float>(totals[r * size + i]);
}

/// Calls the tile of `vectors` vectors where it fits, from `column` on. Returns the next column.
template <std::size_t rows, std::size_t vectors>
std::size_t across(const Strip& strip, std::size_t column) {
  for (; column + vectors * kWidth <= strip.b.columns; column += vectors * kWidth)
    tile<rows, vectors>(strip.columns(column, vectors * kWidth));
  return column;
}

/// All columns of `rows` rows, in tiles of up to `vectors` vectors.
template <std::size_t rows, std::size_t vectors>
void all_columns(const Strip& strip) {
  std::size_t column = across<rows, vectors>(strip, 0);
  column = across<rows, 1>(strip, column);
  if (column < strip.b.columns)
    tile<rows, 1, true>(strip.columns(column, strip.b.columns - column));
}

}  // namespace

void multiply(const Rows& a, const Rows& b, const MutableRows& c, std::size_t first) {
  const Strip all{a, b, first, c};
  std::size_t row = 0;
  for (; row + kTileRows <= a.rows; row += kTileRows)
    all_columns<kTileRows, kTileVectors>(all.rows(row, kTileRows));
  // A single row needs more sums side by side than a row of a tile.
  for (; row < a.rows; ++row)
    if (a.rows - row >= 2)
      all_columns<2, 4>(all.rows(row++, 2));
    else
      all_columns<1, smaller(8, 64 / kWidth)>(all.rows(row, 1));
}

}  // namespace axelram::transformer::AXELRAM_LEVEL
