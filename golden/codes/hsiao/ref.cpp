#include <charconv>
#include <stdexcept>
#include <string>

#include "axelram/bit_string.hpp"
#include "axelram/hsiao.hpp"

namespace axelram {
namespace {

/// Ones in each row of H, counted as columns are added.
struct RowLoads {
  std::vector<int> ones;
  void add(std::uint32_t column, int amount) {
    for (std::size_t j = 0; j < ones.size(); ++j)
      if ((column >> j & 1U) != 0) ones[j] += amount;
  }
  int squares() const {
    int sum = 0;
    for (const int n : ones) sum += n * n;
    return sum;
  }
};

/// Exchanges used columns for unused ones of the same weight until no exchange makes the rows of H
/// more equal.
void balance(std::vector<std::uint32_t>* used, std::size_t first_used,
             std::vector<std::uint32_t>* unused, RowLoads* loads) {
  for (bool better = true; better;) {
    better = false;
    for (std::size_t i = first_used; i < used->size() && !better; ++i)
      for (std::size_t u = 0; u < unused->size() && !better; ++u) {
        const int before = loads->squares();
        loads->add((*used)[i], -1);
        loads->add((*unused)[u], +1);
        better = loads->squares() < before;
        if (better) {
          std::swap((*used)[i], (*unused)[u]);
        } else {
          loads->add((*unused)[u], -1);
          loads->add((*used)[i], +1);
        }
      }
  }
}

/// N and K of "hsiao_N_K", both in canonical decimal.
struct Shape {
  int n;
  int k;
};

std::optional<Shape> parse_name(std::string_view name) {
  constexpr std::string_view kPrefix = "hsiao_";
  if (name.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  const char* const end = name.data() + name.size();
  Shape shape{};
  const auto n = std::from_chars(name.data() + kPrefix.size(), end, shape.n);
  if (n.ec != std::errc() || n.ptr == end || *n.ptr != '_') return std::nullopt;
  const auto k = std::from_chars(n.ptr + 1, end, shape.k);
  if (k.ec != std::errc() || k.ptr != end) return std::nullopt;
  const std::string canonical =
      std::string(kPrefix) + std::to_string(shape.n) + "_" + std::to_string(shape.k);
  if (name != canonical) return std::nullopt;
  return shape;
}

}  // namespace

std::vector<std::uint32_t> hsiao_columns(int check_bits, int k) {
  const auto wanted = static_cast<std::size_t>(k);
  std::vector<std::uint32_t> columns;
  RowLoads loads{std::vector<int>(static_cast<std::size_t>(check_bits))};
  for (int ones = 3; ones <= check_bits && columns.size() < wanted; ones += 2) {
    std::vector<std::uint32_t> unused;
    for (std::uint32_t word = 0; word < (1U << check_bits); ++word)
      if (weight(word) == ones) unused.push_back(word);
    const std::size_t first = columns.size();
    while (columns.size() < wanted && !unused.empty()) {
      columns.push_back(unused.front());
      loads.add(unused.front(), +1);
      unused.erase(unused.begin());
    }
    balance(&columns, first, &unused, &loads);
  }
  if (columns.size() < wanted)
    throw std::invalid_argument(std::to_string(check_bits) + " check bits protect at most " +
                                std::to_string(columns.size()) + " data bits with SECDED, not " +
                                std::to_string(k));
  return columns;
}

std::optional<ParityMatrix> hsiao_matrix(std::string_view name) {
  const std::optional<Shape> shape = parse_name(name);
  if (!shape) return std::nullopt;
  const auto [n, k] = *shape;
  if (k < 1 || k > 64 || n < k + 3 || n > k + 12)
    throw std::invalid_argument("code '" + std::string(name) +
                                "': K must lie in 1..64 and N - K, the check bits, in 3..12");
  return ParityMatrix{n - k, hsiao_columns(n - k, k)};
}

}  // namespace axelram
