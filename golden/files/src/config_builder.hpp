#pragma once

#include <string>

#include "config_document.hpp"

namespace axelram::files {

/// Throws InputError: "origin:line: what".
[[noreturn]] void fail_at(const std::string& origin, int line, const std::string& what);

/// Follows what a parser meets, line by line. Anything beyond two levels stops it at once, so that
/// neither nesting nor aliases can grow.
class ConfigBuilder {
 public:
  /// Where the next value stands.
  enum class Place { document, section_name, section_body, key, value };

  explicit ConfigBuilder(const std::string& origin) : origin_(origin) {}

  Place place() const { return place_; }
  ConfigDocument take() { return std::move(document_); }

  /// A key or a value; `plain`: without quotation marks.
  void scalar(const std::string& text, bool plain, int line);
  void null(int line);
  void begin_map(int line);
  void end_map();
  void list(int line) const;

  [[noreturn]] void stop(int line, const std::string& what) const { fail_at(origin_, line, what); }

 private:
  ConfigSection& section() { return document_.sections.back(); }
  ConfigValue& value() { return section().values.back(); }
  void begin_section(const std::string& name, int line);
  void begin_value(const std::string& key, int line);

  const std::string& origin_;
  ConfigDocument document_;
  Place place_ = Place::document;
};

/// The two forms of a configuration; a text is checked before.
ConfigDocument parse_yaml(const std::string& text, const std::string& origin);
/// Throws EnvironmentError for what does not begin as JSON does: without yaml-cpp nothing else is
/// read.
ConfigDocument parse_json(const std::string& text, const std::string& origin);

}  // namespace axelram::files
