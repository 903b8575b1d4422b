#include "small_configs.hpp"

#include <random>

namespace axelram::sim {

files::Trace small_trace(const files::Config& config) {
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  const int fraction = config.parameters.format_fraction_bits();
  const int fields = (1 << config.parameters.format_exponent_bits()) - 1;
  std::mt19937_64 random(7);
  files::Trace trace;
  trace.element_format = config.parameters.element_format;
  trace.head_dim = config.parameters.head_dim;
  // Vector k spreads its exponents over k + 1 fields, some at the bottom, some at the top.
  const auto vector = [&](std::size_t k) {
    std::vector<std::uint16_t> elements(d);
    for (std::uint16_t& element : elements) {
      const auto spread = static_cast<int>(random() % (k % 12 + 1));
      const int field = k % 3 == 0   ? spread
                        : k % 3 == 1 ? fields - 1 - spread
                                     : fields / 2 + spread;
      element = static_cast<std::uint16_t>((random() & 0x8000U) |
                                           static_cast<unsigned>(field) << fraction |
                                           (random() & ((1U << fraction) - 1)));
    }
    return elements;
  };
  for (std::size_t k = 0; k < 24; ++k) {
    std::vector<std::uint16_t> key = vector(k);
    if (k == 20) key.assign(d, 0);
    if (k == 21) key.assign(d, static_cast<std::uint16_t>(fields / 2 << fraction));  // y_i = 0
    if (k == 22) key.assign(d, 1);  // a subnormal norm
    trace.keys.insert(trace.keys.end(), key.begin(), key.end());
    if (k % 2 != 0) continue;
    const std::vector<std::uint16_t> query = vector(k + 1);
    trace.queries.insert(trace.queries.end(), query.begin(), query.end());
  }
  return trace;
}

}  // namespace axelram::sim
