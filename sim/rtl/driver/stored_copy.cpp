#include "rtl/driver/stored_copy.hpp"

#include <cstring>

namespace axelram::sim {

void append_stored_copy(const files::Config& config, RtlModel& model, unsigned place,
                        std::size_t token, files::Result* result) {
  const Parameters& p = config.parameters;
  const int lanes = config.microarchitecture.key_lanes;
  const auto rows = static_cast<unsigned>(p.head_dim / lanes);
  result->exact[token] = 1;
  for (unsigned row = 0; row < rows; ++row) {
    std::vector<std::uint8_t> word =
        model.copy_word(place * rows + row, static_cast<std::size_t>(lanes * p.exact_bits + 7) / 8);
    word.resize(word.size() + sizeof(std::uint32_t));
    for (int i = 0; i < lanes; ++i) {
      std::uint32_t bits = 0;
      const int first = i * p.exact_bits;
      std::memcpy(&bits, word.data() + first / 8, sizeof bits);
      const int unused = 32 - p.exact_bits;
      const auto element = static_cast<std::int32_t>(bits >> first % 8 << unused) >> unused;
      result->exact_keys.push_back(static_cast<std::int16_t>(element));
    }
  }
  result->exact_exponents.push_back(model.copy_exponent(place));
  ++result->copies;
}

}  // namespace axelram::sim
