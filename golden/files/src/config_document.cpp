#include "config_document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

[[noreturn]] void fail(const std::string& origin, int line, const std::string& what) {
  throw InputError(origin + ":" + std::to_string(line) + ": " + what);
}

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
    fail(origin, 1,
         "longer than " + std::to_string(kMaxConfigBytes) +
             " bytes; a configuration is a few lines");
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (length == 0) fail(origin, line, "not UTF-8; save the file as UTF-8 text");
    const char c = text[i];
    if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) && c != '\t' &&
        c != '\n' && c != '\r')
      fail(origin, line,
           "control character " + in_quotes({&c, 1}) + "; a configuration is plain text");
    if (c == '\n') ++line;
    i += length;
  }
}

/// A tab before the first other character of a line, where YAML asks for spaces.
bool indented_by_tab(const std::string& text, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line && begin != std::string::npos; ++i) {
    begin = text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos) return false;
  const std::size_t first = text.find_first_not_of(' ', begin);
  return first != std::string::npos && text[first] == '\t';
}

/// Follows the parser's events. Anything beyond two levels stops it at once, so that neither
/// nesting nor aliases can grow.
class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& text, const std::string& origin, ConfigDocument& document)
      : text_(text), origin_(origin), document_(document) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      stop(mark, "a second document begins; describe one macro in one document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_decoration(mark, "?", anchor);
    switch (place_) {
      case Place::document:
        return;
      case Place::section_body:
        fail(origin_, section().line,
             "section " + in_quotes(section().name) + " is empty; write {} for its defaults");
      case Place::value:
        fail(origin_, value().line,
             in_quotes(value().key) + " has no value; give it one or leave the key out");
      default:
        stop(mark, "an empty key; name what is set");
    }
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    stop(mark, "an alias (*); write the value itself");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_decoration(mark, tag, anchor);
    switch (place_) {
      case Place::document:
        stop(mark, "one value, " + in_quotes(text) +
                       ", instead of sections; write such as macro: {head_dim: 128}");
      case Place::section_name:
        begin_section(text, mark.line + 1);
        return;
      case Place::section_body:
        if (indented_by_tab(text_, mark.line + 1))
          stop(mark, "a tab indents this line; YAML is indented by spaces");
        stop(mark, in_quotes(section().name) + " has the value " + in_quotes(text) +
                       "; at the top level stand sections, such as macro: {head_dim: 128}");
      case Place::key:
        begin_value(text, mark.line + 1);
        return;
      case Place::value:
        value().text = text;
        value().plain = tag == "?";
        place_ = Place::key;
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    stop(mark, place_ == Place::value ? in_quotes(value().key) + " is a list; it takes one value"
                                      : "a list; write sections such as macro: {head_dim: 128}");
  }
  void OnSequenceEnd() override {}

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_decoration(mark, tag, anchor);
    if (place_ == Place::document)
      place_ = Place::section_name;
    else if (place_ == Place::section_body)
      place_ = Place::key;
    else if (place_ == Place::value)
      stop(mark, in_quotes(value().key) + " is a map; it takes one value");
    else
      stop(mark, "a map as a key; name what is set");
  }

  void OnMapEnd() override {
    place_ = place_ == Place::key ? Place::section_name : Place::document;
  }

 private:
  enum class Place { document, section_name, section_body, key, value };

  [[noreturn]] void stop(const YAML::Mark& mark, const std::string& what) const {
    fail(origin_, mark.line + 1, what);
  }

  ConfigSection& section() { return document_.sections.back(); }
  ConfigValue& value() { return section().values.back(); }

  void refuse_decoration(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) stop(mark, "an anchor (&); write each value where it belongs");
    if (tag != "?" && tag != "!" && !tag.empty())
      stop(mark, "the tag " + in_quotes(tag) + "; write plain values, their types are known");
  }

  void begin_section(const std::string& name, int line) {
    if (const ConfigSection* earlier = document_.find(name))
      fail(origin_, line,
           "section " + in_quotes(name) + " repeats; line " + std::to_string(earlier->line) +
               " has it already, join the two");
    document_.sections.push_back({name, line, {}});
    place_ = Place::section_body;
  }

  void begin_value(const std::string& key, int line) {
    if (key == "<<") fail(origin_, line, "a merge key (<<); write the keys themselves");
    if (const ConfigValue* earlier = section().find(key))
      fail(origin_, line,
           in_quotes(key) + " repeats; line " + std::to_string(earlier->line) +
               " sets it already, keep one");
    section().values.push_back({key, line, "", true});
    place_ = Place::value;
  }

  const std::string& text_;
  const std::string& origin_;
  ConfigDocument& document_;
  Place place_ = Place::document;
  int documents_ = 0;
};

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
  ConfigDocument document;
  Builder builder(text, origin, document);
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    fail(origin, error.mark.is_null() ? 1 : error.mark.line + 1,
         "not YAML: " + printable(error.msg) + "; write sections such as macro: {head_dim: 128}");
  }
  return document;
}

}  // namespace axelram::files
