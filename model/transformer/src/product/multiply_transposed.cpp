#include "lanes.hpp"
#include "product/product.hpp"

// A dot product is made of kLanes partial sums: lane l adds the products of elements l, kLanes + l,
// ... in this order, and then lanes half of all apart are added until one is left. A longer product
// begins anew every kBlock elements, and the sums of the blocks are added in order. Neither the
// number of rows nor the place of a row has a part in it.

namespace axelram::transformer::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kBlock = 1024;
constexpr std::size_t kColumns = kWidth / kLanes;        ///< of b in a vector
constexpr std::size_t kPanel = kTileVectors * kColumns;  ///< columns of a tile
static_assert(2 * kPanel == kWidth, "two rows of a tile fill a vector");
constexpr std::size_t kRowsTogether = 252;  ///< of a, with kBlock elements, stay in a cache
constexpr std::size_t kFewRows = 4;         ///< too few for what a packed panel costs
constexpr std::size_t kChains = 8;          ///< columns of a single row, added side by side

/// `count` floats and zeros.
Lanes load_some(const float* from, std::size_t count) {
  float lanes[kLanes] = {};
  for (std::size_t i = 0; i < count; ++i) lanes[i] = from[i];
  return load<Lanes>(lanes);
}

/// The elements of a row, kLanes at a time; the last ones are filled up with zeros.
struct Steps {
  std::size_t whole, rest;

  explicit Steps(std::size_t inner) : whole(inner / kLanes), rest(inner % kLanes) {}
  std::size_t count() const { return whole + (rest == 0 ? 0 : 1); }
  Lanes at(const float* row, std::size_t step) const {
    return step < whole ? load<Lanes>(row + step * kLanes) : load_some(row + step * kLanes, rest);
  }
};

/// Where results go: overwritten, or added to.
struct Target {
  float* data;
  std::size_t stride;
  bool add;

  Target at(std::size_t row, std::size_t column) const {
    return {data + row * stride + column, stride, add};
  }
  void put(const float* values, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) data[i] = add ? data[i] + values[i] : values[i];
  }
  /// `used` rows and `columns` columns of a tile.
  template <std::size_t rows>
  void put(const HalfVector (&results)[rows], std::size_t used, std::size_t columns) const {
    if (used < rows || columns < kPanel || add) return put_some(results, used, columns);
#pragma GCC unroll 6
    for (std::size_t r = 0; r < rows; ++r) store(data + r * stride, results[r]);
  }
  void put_some(const HalfVector* results, std::size_t used, std::size_t columns) const {
    for (std::size_t r = 0; r < used; ++r) {
      float row[kPanel];
      store(row, results[r]);
      at(r, 0).put(row, columns);
    }
  }
};

/// Columns of a panel as the tiles read them: [step][column][lane], zeros for those that b lacks.
/// Not inlined, so that a profile shows what it takes.
[[gnu::noinline]] void pack(const float* b, std::size_t stride, std::size_t columns,
                            const Steps& steps, float* panel) {
  for (std::size_t column = 0; column < kPanel; ++column)
    for (std::size_t step = 0; step < steps.count(); ++step)
      store(panel + (step * kPanel + column) * kLanes,
            column < columns ? steps.at(b + column * stride, step) : Lanes{});
}

/// Element of the folded vectors of two rows that holds a column of row 0 or 1.
constexpr std::size_t folded_place(std::size_t row, std::size_t column) {
  return row + 2 * (column / kColumns) + column % kColumns * kLanes;
}

template <std::size_t row, std::size_t... column>
HalfVector row_of(const Vector& folded, std::index_sequence<column...>) {
  return __builtin_shufflevector(folded, folded, folded_place(row, column)...);
}

/// The sums of a row, but for the last addition.
Vector fold_row(const Vector* sums) {
  if constexpr (kLanes == 8)
    return fold<2>(fold<4>(sums[0], sums[2]), fold<4>(sums[1], sums[3]));
  else
    return fold<2>(sums[0], sums[1]);
}

/// kPanel columns of `rows` rows, an even number; `used` and `columns` of them are wanted.
template <std::size_t rows>
void tile(const float* a, std::size_t stride, const float* panel, const Steps& steps,
          std::size_t used, std::size_t columns, const Target& target) {
  Vector sums[rows][kTileVectors] = {};
  const float* row[rows];
  for (std::size_t r = 0; r < rows; ++r) row[r] = a + (r < used ? r : 0) * stride;
  const auto add = [&](const float* step, const auto& elements_of) {
    Vector columns_of[kTileVectors];
    for (std::size_t v = 0; v < kTileVectors; ++v) columns_of[v] = load<Vector>(step + v * kWidth);
#pragma GCC unroll 6
    for (std::size_t r = 0; r < rows; ++r) {
      const Vector elements = repeat(elements_of(row[r]));
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kTileVectors; ++v)
        sums[r][v] = add_product(elements, columns_of[v], sums[r][v]);
    }
  };
  for (std::size_t step = 0; step < steps.whole; ++step)
    add(panel + step * kPanel * kLanes, [&](const float* x) { return x + step * kLanes; });
  if (steps.rest != 0) {
    float last[kLanes];
    add(panel + steps.whole * kPanel * kLanes, [&](const float* x) {
      store(last, steps.at(x, steps.whole));
      return last;
    });
  }
  HalfVector results[rows];
#pragma GCC unroll 3
  for (std::size_t r = 0; r < rows; r += 2) {
    const Vector folded = fold<1>(fold_row(sums[r]), fold_row(sums[r + 1]));
    const auto all = std::make_index_sequence<kPanel>();
    results[r] = row_of<0>(folded, all);
    results[r + 1] = row_of<1>(folded, all);
  }
  target.put<rows>(results, used, columns);
}

void multiply_panels(const Rows& a, const Rows& b, const Target& target) {
  float panel[kPanel * kBlock];
  const Steps steps(a.columns);
  for (std::size_t column = 0; column < b.rows; column += kPanel) {
    const std::size_t columns = smaller(b.rows - column, kPanel);
    pack(b.data + column * b.stride, b.stride, columns, steps, panel);
    for (std::size_t row = 0; row < a.rows; row += kTileRows) {
      const std::size_t used = smaller(a.rows - row, kTileRows);
      const float* const x = a.data + row * a.stride;
      const Target to = target.at(row, column);
      (used > 4   ? tile<6>
       : used > 2 ? tile<4>
                  : tile<2>)(x, a.stride, panel, steps, used, columns, to);
    }
  }
}

/// Folds the sums of kLanes columns.
Lanes fold_columns(Lanes* sums) {
  if constexpr (kLanes == 8)
    for (std::size_t j = 0; j < 4; ++j) sums[j] = fold<4>(sums[j], sums[j + 4]);
  return fold<1>(fold<2>(sums[0], sums[2]), fold<2>(sums[1], sums[3]));
}

/// One row of a and kChains rows of b, or `used` of them.
void multiply_row(const float* a, const float* b, std::size_t stride, const Steps& steps,
                  std::size_t used, float* out) {
  Lanes sums[kChains] = {};
  const float* row[kChains];
  for (std::size_t j = 0; j < kChains; ++j) row[j] = b + (j < used ? j : 0) * stride;
  for (std::size_t step = 0; step < steps.whole; ++step) {
    const Lanes elements = load<Lanes>(a + step * kLanes);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kChains; ++j)
      sums[j] = add_product(elements, load<Lanes>(row[j] + step * kLanes), sums[j]);
  }
  if (steps.rest != 0)
    for (std::size_t j = 0; j < kChains; ++j)
      sums[j] = add_product(steps.at(a, steps.whole), steps.at(row[j], steps.whole), sums[j]);
  for (std::size_t j = 0; j < kChains; j += kLanes) store(out + j, fold_columns(sums + j));
}

void multiply_rows(const Rows& a, const Rows& b, const Target& target) {
  const Steps steps(a.columns);
  float results[kChains];
  for (std::size_t column = 0; column < b.rows; column += kChains) {
    const std::size_t used = smaller(b.rows - column, kChains);
    for (std::size_t row = 0; row < a.rows; ++row) {
      multiply_row(a.data + row * a.stride, b.data + column * b.stride, b.stride, steps, used,
                   results);
      target.at(row, column).put(results, used);
    }
  }
}

}  // namespace

void multiply_transposed(const Rows& a, const Rows& b, const MutableRows& c) {
  for (std::size_t row = 0; row < a.rows; row += kRowsTogether) {
    const std::size_t rows = smaller(a.rows - row, kRowsTogether);
    for (std::size_t first = 0; first == 0 || first < a.columns; first += kBlock) {
      const std::size_t inner = smaller(a.columns - first, kBlock);
      (rows < kFewRows ? multiply_rows : multiply_panels)(
          {a.data + row * a.stride + first, rows, inner, a.stride},
          {b.data + first, b.rows, inner, b.stride},
          {c.data + row * c.stride, c.stride, first != 0});
    }
  }
}

}  // namespace axelram::transformer::AXELRAM_LEVEL
