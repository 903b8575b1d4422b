// Stores two keys in the paper's macro and scores a query against them.
#include <axelram/half.hpp>
#include <axelram/macro.hpp>
#include <axelram/signs.hpp>
#include <cmath>
#include <cstdio>

int main() {
  const axelram::Parameters parameters;  // the paper's: d = 128, b = 3
  const auto d = static_cast<std::size_t>(parameters.head_dim);
  std::vector<std::int8_t> signs(d);
  axelram::sign_vector(42, 0, 0, parameters.head_dim, signs.data());
  axelram::Macro macro(parameters, signs, {}, 4096);

  std::vector<std::uint16_t> key(d), opposite(d);
  double square = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double value = std::sin(0.37 * static_cast<double>(i) + 1);
    square += value * value;
    key[i] = axelram::double_to_half(value);
    opposite[i] = axelram::double_to_half(-value);
  }
  macro.write(key.data());
  macro.write(opposite.data());

  const axelram::QueryResult result = macro.query(key.data());
  bool close = result.scores.size() == 2;
  for (std::size_t t = 0; t < result.scores.size(); ++t) {
    const double score = result.scores[t] * macro.rom().score_scale;
    const double exact = t == 0 ? square : -square;
    std::printf("key %zu: score %.3f, exact %.3f\n", t, score, exact);
    close = close && std::fabs(score - exact) < 0.1 * square;
  }
  return close ? 0 : 1;
}
