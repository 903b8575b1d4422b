#include "key_types.hpp"

#include <stdexcept>

#include "axelram/code.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::files {
std::vector<std::string> code_choices() {
  std::vector<std::string> names = code_family_names();
  names.insert(names.begin(), "none");
  return names;
}

std::string code_of(const DocumentValue& value, const std::string& origin) {
  if (value.text == "none") return value.text;
  for (const CodeFamily& family : code_families()) {
    // A family of many codes has a name such as hsiao_N_K.
    const std::string_view name = family.name;
    const std::size_t open = name.find("_N_K");
    if (open == std::string_view::npos ? value.text != name
                                       : value.text.rfind(name.substr(0, open + 1), 0) != 0)
      continue;
    try {
      return make_code(value.text).name;
    } catch (const std::invalid_argument& error) {
      reject(value, origin, printable(error.what(), 400));
    }
  }
  reject_choice(value, origin, code_choices());
}

std::string power_text(std::uint64_t value) {
  constexpr std::uint64_t kWrittenOut = 65536;
  if (value <= kWrittenOut) return std::to_string(value);
  for (int n = 17; n <= 64; ++n) {
    const std::uint64_t power = n == 64 ? 0 : std::uint64_t{1} << n;
    if (value == power) return "2^" + std::to_string(n);
    if (value == power - 1) return "2^" + std::to_string(n) + " - 1";
  }
  return std::to_string(value);
}

Rule lanes_rule() {
  return {"powers of two up to head_dim", [](int value, const Config&) -> std::string {
            return is_power_of_two(value) ? "" : "it must be a power of two up to head_dim";
          }};
}

}  // namespace axelram::files
