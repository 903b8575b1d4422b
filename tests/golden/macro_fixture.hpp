#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/macro.hpp"
#include "axelram/signs.hpp"

namespace macro_fixture {

using axelram::Macro;
using axelram::Parameters;
using Raw = std::vector<std::uint16_t>;

inline std::vector<std::int8_t> seeded_signs(int d) {
  std::vector<std::int8_t> signs(static_cast<std::size_t>(d));
  axelram::sign_vector(42, 0, 0, d, signs.data());
  return signs;
}

inline Macro make_macro(const Parameters& p, const Raw& center = {}, std::size_t max_keys = 64) {
  return Macro(p, seeded_signs(p.head_dim), center, max_keys);
}

}  // namespace macro_fixture
