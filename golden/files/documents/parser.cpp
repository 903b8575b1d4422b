#include "parser.hpp"

#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

/// Rejects text that is not UTF-8. yaml-cpp would accept UTF-16 and UTF-32 and repair broken UTF-8.
void check_text(const std::string& text, const std::string& origin, const DocumentKind& kind) {
  if (text.size() > kMaxDocumentBytes)
    fail_at(origin, 1,
            "longer than " + std::to_string(kMaxDocumentBytes) + " bytes; " + kind.what +
                " is a few lines");
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) fail_at(origin, line, "not UTF-8; save the file as UTF-8 text");
    const char c = text[i];
    if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && c != '\t' &&
        c != '\n' && c != '\r')
      fail_at(origin, line,
              "control character " + in_quotes({&c, 1}) + "; " + kind.what + " is plain text");
    if (c == '\n') ++line;
    i += length;
  }
}

}  // namespace

void parse_text(const std::string& text, const std::string& origin, DocumentBuilder* builder) {
  check_text(text, origin, builder->kind());
#ifdef AXELRAM_YAML
  parse_yaml(text, builder);
#else
  parse_json(text, builder);
#endif
}

}  // namespace axelram::files
