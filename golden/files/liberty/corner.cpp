#include "corner.hpp"

#include <utility>

#include "axelram/files/messages.hpp"

namespace axelram::files {

std::string corner_in_words(const LibertyGroup& library, const std::string& conditions) {
  const LibertyGroup* const group =
      conditions.empty() ? nullptr : library.group("operating_conditions", conditions);
  std::string text = printable(conditions);
  for (const auto& [key, unit] : {std::pair("voltage", " V"), std::pair("temperature", " C")}) {
    const std::string own = group == nullptr ? "" : group->text(key);
    const std::string value =
        printable(own.empty() ? library.text(std::string("nom_") + key) : own);
    if (!value.empty()) text += (text.empty() ? "" : ", ") + value + unit;
  }
  return text.empty() ? "corner not stated" : text;
}

}  // namespace axelram::files
