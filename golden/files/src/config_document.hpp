#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "axelram/files/document_tree.hpp"

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

/// Receives the events of a parser.
class DocumentBuilder {
 public:
  DocumentBuilder(const std::string& origin, const DocumentKind& kind)
      : origin_(origin), kind_(kind) {}
  virtual ~DocumentBuilder() = default;
  DocumentBuilder(const DocumentBuilder&) = delete;
  DocumentBuilder& operator=(const DocumentBuilder&) = delete;

  const DocumentKind& kind() const { return kind_; }
  const std::string& origin() const { return origin_; }

  /// A key or a value; `plain`: not in quotation marks.
  virtual void scalar(const std::string& text, bool plain, int line) = 0;
  virtual void null(int line) = 0;
  virtual void begin_map(int line) = 0;
  virtual void end_map() = 0;
  virtual void begin_list(int line) = 0;
  virtual void end_list() = 0;
  /// True if the next value is a map by which a line of the top level goes on.
  virtual bool in_section() const { return false; }

  [[noreturn]] void stop(int line, const std::string& what) const { fail_at(origin_, line, what); }

 private:
  const std::string& origin_;
  const DocumentKind& kind_;
};

/// Builds a configuration. It stops at anything beyond two levels, so that neither nesting nor
/// aliases can grow.
class ConfigBuilder : public DocumentBuilder {
 public:
  using DocumentBuilder::DocumentBuilder;

  ConfigDocument take() { return std::move(document_); }

  void scalar(const std::string& text, bool plain, int line) override;
  void null(int line) override;
  void begin_map(int line) override;
  void end_map() override;
  void begin_list(int line) override;
  void end_list() override { place_ = Place::key; }
  bool in_section() const override { return place_ == Place::section_body; }

 private:
  /// Position of the next value.
  enum class Place { document, section_name, section_body, key, value, element };

  ConfigSection& section() { return document_.sections.back(); }
  ConfigValue& value() { return section().values.back(); }
  void begin_section(const std::string& name, int line);
  void begin_value(const std::string& key, int line);
  void add_element(const std::string& text, bool plain, int line);

  ConfigDocument document_;
  Place place_ = Place::document;
};

/// Checks a text and passes its events to a builder. Throws EnvironmentError if the text does not
/// begin as JSON and the program was built without yaml-cpp.
void parse_text(const std::string& text, const std::string& origin, DocumentBuilder* builder);

/// Parsers of a text that has been checked.
void parse_yaml(const std::string& text, DocumentBuilder* builder);
void parse_json(const std::string& text, DocumentBuilder* builder);

}  // namespace axelram::files
