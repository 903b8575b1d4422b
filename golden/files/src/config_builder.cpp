#include "config_builder.hpp"

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::files {

void fail_at(const std::string& origin, int line, const std::string& what) {
  throw InputError(origin + ":" + std::to_string(line) + ": " + what);
}

void ConfigBuilder::scalar(const std::string& text, bool plain, int line) {
  switch (place_) {
    case Place::document:
      stop(line, "one value, " + in_quotes(text) +
                     ", instead of sections; write such as macro: {head_dim: 128}");
    case Place::section_name:
      begin_section(text, line);
      return;
    case Place::section_body:
      stop(line, in_quotes(section().name) + " has the value " + in_quotes(text) +
                     "; at the top level stand sections, such as macro: {head_dim: 128}");
    case Place::key:
      begin_value(text, line);
      return;
    case Place::value:
      value().text = text;
      value().plain = plain;
      place_ = Place::key;
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
  else
    stop(line, "a map as a key; name what is set");
}

void ConfigBuilder::end_map() {
  place_ = place_ == Place::key ? Place::section_name : Place::document;
}

void ConfigBuilder::list(int line) const {
  stop(line, place_ == Place::value ? in_quotes(document_.sections.back().values.back().key) +
                                          " is a list; it takes one value"
                                    : "a list; write sections such as macro: {head_dim: 128}");
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
  section().values.push_back({key, line, "", true});
  place_ = Place::value;
}

}  // namespace axelram::files
