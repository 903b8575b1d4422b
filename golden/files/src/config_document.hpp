#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace axelram::files {

/// Longest text of a configuration.
constexpr std::size_t kMaxConfigBytes = 65536;

struct ConfigValue {
  std::string key;
  int line = 0;       ///< from 1
  std::string text;   ///< of a list "[4, 2]"
  bool plain = true;  ///< false: in quotation marks, or a block of text
  bool list = false;
  std::vector<ConfigValue> elements;  ///< of a list
};

struct ConfigSection {
  std::string name;
  int line = 0;
  std::vector<ConfigValue> values;

  const ConfigValue* find(const std::string& key) const;
};

/// A configuration before its names are checked: a map of maps of single values, or of lists of
/// them where the table of keys has a list.
struct ConfigDocument {
  std::vector<ConfigSection> sections;

  const ConfigSection* find(const std::string& name) const;
  const ConfigValue* find(const std::string& section, const std::string& key) const;
};

/// What messages say of a document of this structure.
struct DocumentKind {
  const char* what;     ///< "a configuration"
  const char* example;  ///< one section
  const char* json;     ///< the same in JSON
  bool configuration;   ///< sections, keys and lists are those of the table of keys
};
constexpr DocumentKind kConfiguration = {"a configuration", "macro: {head_dim: 128}",
                                         "{\"macro\": {\"head_dim\": 128}}", true};

/// Throws InputError for any other structure: YAML errors, repeated keys, other lists, deeper maps,
/// empty values, anchors, aliases, tags, several documents. An empty text or null is an empty
/// document.
ConfigDocument parse_document(const std::string& text, const std::string& origin,
                              const DocumentKind& kind = kConfiguration);

/// Throws InputError: "origin:line: what".
[[noreturn]] void fail_at(const std::string& origin, int line, const std::string& what);

/// Builds a document from the events of a parser. It stops at anything beyond two levels, so that
/// neither nesting nor aliases can grow.
class ConfigBuilder {
 public:
  /// Position of the next value.
  enum class Place { document, section_name, section_body, key, value, element };

  ConfigBuilder(const std::string& origin, const DocumentKind& kind)
      : origin_(origin), kind_(kind) {}

  Place place() const { return place_; }
  const DocumentKind& kind() const { return kind_; }
  ConfigDocument take() { return std::move(document_); }

  /// A key or a value; `plain`: not in quotation marks.
  void scalar(const std::string& text, bool plain, int line);
  void null(int line);
  void begin_map(int line);
  void end_map();
  void begin_list(int line);
  void end_list() { place_ = Place::key; }

  [[noreturn]] void stop(int line, const std::string& what) const { fail_at(origin_, line, what); }

 private:
  ConfigSection& section() { return document_.sections.back(); }
  ConfigValue& value() { return section().values.back(); }
  void begin_section(const std::string& name, int line);
  void begin_value(const std::string& key, int line);
  void add_element(const std::string& text, bool plain, int line);

  const std::string& origin_;
  const DocumentKind& kind_;
  ConfigDocument document_;
  Place place_ = Place::document;
};

/// Parsers of a text that has been checked.
ConfigDocument parse_yaml(const std::string& text, const std::string& origin,
                          const DocumentKind& kind = kConfiguration);
/// Throws EnvironmentError if the text does not begin as JSON; without yaml-cpp only JSON is read.
ConfigDocument parse_json(const std::string& text, const std::string& origin,
                          const DocumentKind& kind = kConfiguration);

}  // namespace axelram::files
