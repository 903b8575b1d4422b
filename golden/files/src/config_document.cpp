#include "config_document.hpp"

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "config_table.hpp"

namespace axelram::files {
namespace {

/// Rejects text that is not UTF-8. yaml-cpp would accept UTF-16 and UTF-32 and repair broken UTF-8.
void check_text(const std::string& text, const std::string& origin, const DocumentKind& kind) {
  if (text.size() > kMaxConfigBytes)
    fail_at(origin, 1,
            "longer than " + std::to_string(kMaxConfigBytes) + " bytes; " + kind.what +
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

const ConfigValue* ConfigDocument::find(const std::string& section, const std::string& key) const {
  const ConfigSection* const found = find(section);
  return found ? found->find(key) : nullptr;
}

ConfigDocument parse_document(const std::string& text, const std::string& origin,
                              const DocumentKind& kind) {
  ConfigBuilder builder(origin, kind);
  parse_text(text, origin, &builder);
  return builder.take();
}

void parse_text(const std::string& text, const std::string& origin, DocumentBuilder* builder) {
  check_text(text, origin, builder->kind());
#ifdef AXELRAM_YAML
  parse_yaml(text, builder);
#else
  parse_json(text, builder);
#endif
}

void fail_at(const std::string& origin, int line, const std::string& what) {
  throw InputError(origin + ":" + std::to_string(line) + ": " + what);
}

void ConfigBuilder::scalar(const std::string& text, bool plain, int line) {
  switch (place_) {
    case Place::document:
      stop(line, "one value, " + in_quotes(text) + ", instead of sections; write such as " +
                     kind().example);
    case Place::section_name:
      begin_section(text, line);
      return;
    case Place::section_body:
      if (const std::string home = kind().configuration ? section_of(section().name) : "";
          !home.empty())
        stop(line, in_quotes(section().name) + " is a key of section " + home + "; write " + home +
                       ": {" + section().name + ": ...}");
      stop(line, in_quotes(section().name) + " has the value " + in_quotes(text) +
                     "; write sections at the top level, such as " + kind().example);
    case Place::key:
      begin_value(text, line);
      return;
    case Place::value:
      value().text = text;
      value().plain = plain;
      place_ = Place::key;
      return;
    case Place::element:
      add_element(text, plain, line);
  }
}

void ConfigBuilder::null(int line) {
  switch (place_) {
    case Place::document:
      return;
    case Place::section_body:
      stop(section().line,
           "section " + in_quotes(section().name) + " is empty; write {} for its defaults");
    case Place::value:
      stop(value().line,
           in_quotes(value().key) + " has no value; give it one or leave the key out");
    case Place::element:
      stop(line, in_quotes(value().key) + " has an empty element; give it a value");
    default:
      stop(line, "an empty key; name what is set");
  }
}

void ConfigBuilder::begin_map(int line) {
  if (place_ == Place::document)
    place_ = Place::section_name;
  else if (place_ == Place::section_body)
    place_ = Place::key;
  else if (place_ == Place::value)
    stop(line, in_quotes(value().key) + " is a map; it takes one value");
  else if (place_ == Place::element)
    stop(line, in_quotes(value().key) + " holds a map; its elements are single values");
  else
    stop(line, "a map as a key; name what is set");
}

void ConfigBuilder::end_map() {
  place_ = place_ == Place::key ? Place::section_name : Place::document;
}

void ConfigBuilder::begin_list(int line) {
  if (place_ == Place::element)
    stop(line, in_quotes(value().key) + " holds a list; its elements are single values");
  if (place_ != Place::value)
    stop(line, std::string("a list; write sections such as ") + kind().example);
  if (!kind().configuration || !takes_list(section().name, value().key))
    stop(line, in_quotes(value().key) + " is a list; it takes one value");
  value().list = true;
  value().text = "[]";
  place_ = Place::element;
}

void ConfigBuilder::add_element(const std::string& text, bool plain, int line) {
  ConfigValue& list = value();
  list.text.pop_back();
  list.text += (list.elements.empty() ? "" : ", ") + text + ']';
  list.elements.push_back({"an element of " + list.key, line, text, plain, false, {}});
}

void ConfigBuilder::begin_section(const std::string& name, int line) {
  if (const ConfigSection* earlier = document_.find(name))
    stop(line, "section " + in_quotes(name) + " repeats; line " + std::to_string(earlier->line) +
                   " has it already, join the two");
  document_.sections.push_back({name, line, {}});
  place_ = Place::section_body;
}

void ConfigBuilder::begin_value(const std::string& key, int line) {
  if (key == "<<") stop(line, "a merge key (<<); write the keys themselves");
  if (const ConfigValue* earlier = section().find(key))
    stop(line, in_quotes(key) + " repeats; line " + std::to_string(earlier->line) +
                   " sets it already, keep one");
  section().values.push_back({key, line, "", true, false, {}});
  place_ = Place::value;
}

}  // namespace axelram::files
