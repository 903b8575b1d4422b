#include "config_document.hpp"

#include "axelram/files/messages.hpp"
#include "config_builder.hpp"

namespace axelram::files {
namespace {

/// Length of the well-formed UTF-8 character at text[i], or 0.
std::size_t character_length(const std::string& text, std::size_t i) {
  const auto byte = [&text](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
  };
  const unsigned lead = byte(i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  unsigned code = lead & (0x7fU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i + k) & 0x3f);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

/// yaml-cpp guesses UTF-16 and UTF-32 and repairs broken UTF-8; here a text is UTF-8 or an error.
void check_text(const std::string& text, const std::string& origin) {
  if (text.size() > kMaxConfigBytes)
    fail_at(origin, 1,
            "longer than " + std::to_string(kMaxConfigBytes) +
                " bytes; a configuration is a few lines");
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (length == 0) fail_at(origin, line, "not UTF-8; save the file as UTF-8 text");
    const char c = text[i];
    if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && c != '\t' &&
        c != '\n' && c != '\r')
      fail_at(origin, line,
              "control character " + in_quotes({&c, 1}) + "; a configuration is plain text");
    if (c == '\n') ++line;
    i += length;
  }
}

}  // namespace

const ConfigValue* ConfigSection::find(const std::string& key) const {
  for (const ConfigValue& value : values)
    if (value.key == key) return &value;
  return nullptr;
}

const ConfigSection* ConfigDocument::find(const std::string& name) const {
  for (const ConfigSection& section : sections)
    if (section.name == name) return &section;
  return nullptr;
}

ConfigDocument parse_document(const std::string& text, const std::string& origin) {
  check_text(text, origin);
#ifdef AXELRAM_YAML
  return parse_yaml(text, origin);
#else
  return parse_json(text, origin);
#endif
}

}  // namespace axelram::files
