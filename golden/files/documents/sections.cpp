#include "sections.hpp"

#include "axelram/files/messages.hpp"

namespace axelram::files {
const DocumentValue* DocumentSection::find(const std::string& key) const {
  for (const DocumentValue& value : values)
    if (value.key == key) return &value;
  return nullptr;
}

const DocumentSection* Document::find(const std::string& name) const {
  for (const DocumentSection& section : sections)
    if (section.name == name) return &section;
  return nullptr;
}

const DocumentValue* Document::find(const std::string& section, const std::string& key) const {
  const DocumentSection* const found = find(section);
  return found ? found->find(key) : nullptr;
}

Document parse_sections(const std::string& text, const std::string& origin,
                        const SectionRules& rules) {
  SectionBuilder builder(origin, rules);
  parse_text(text, origin, &builder);
  return builder.take();
}

void SectionBuilder::scalar(const std::string& text, bool plain, int line) {
  switch (place_) {
    case Place::document:
      stop(line, "one value, " + in_quotes(text) + ", instead of sections; write such as " +
                     kind().example);
    case Place::section_name:
      begin_section(text, line);
      return;
    case Place::section_body:
      if (const std::string home = rules_.section_of ? rules_.section_of(section().name) : "";
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

void SectionBuilder::null(int line) {
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

void SectionBuilder::begin_map(int line) {
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

void SectionBuilder::end_map() {
  place_ = place_ == Place::key ? Place::section_name : Place::document;
}

void SectionBuilder::begin_list(int line) {
  if (place_ == Place::element)
    stop(line, in_quotes(value().key) + " holds a list; its elements are single values");
  if (place_ != Place::value)
    stop(line, std::string("a list; write sections such as ") + kind().example);
  if (!rules_.takes_list || !rules_.takes_list(section().name, value().key))
    stop(line, in_quotes(value().key) + " is a list; it takes one value");
  value().list = true;
  value().text = "[]";
  place_ = Place::element;
}

void SectionBuilder::add_element(const std::string& text, bool plain, int line) {
  DocumentValue& list = value();
  list.text.pop_back();
  list.text += (list.elements.empty() ? "" : ", ") + text + ']';
  list.elements.push_back({"an element of " + list.key, line, text, plain, false, {}});
}

void SectionBuilder::begin_section(const std::string& name, int line) {
  if (const DocumentSection* earlier = document_.find(name))
    stop(line, "section " + in_quotes(name) + " repeats; line " + std::to_string(earlier->line) +
                   " has it already, join the two");
  document_.sections.push_back({name, line, {}});
  place_ = Place::section_body;
}

void SectionBuilder::begin_value(const std::string& key, int line) {
  if (key == "<<") stop(line, "a merge key (<<); write the keys themselves");
  if (const DocumentValue* earlier = section().find(key))
    stop(line, in_quotes(key) + " repeats; line " + std::to_string(earlier->line) +
                   " sets it already, keep one");
  section().values.push_back({key, line, "", true, false, {}});
  place_ = Place::value;
}

}  // namespace axelram::files
