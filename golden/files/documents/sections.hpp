#pragma once

#include <string>
#include <utility>
#include <vector>

#include "parser.hpp"

namespace axelram::files {

struct DocumentValue {
  std::string key;
  int line = 0;       ///< from 1
  std::string text;   ///< of a list "[4, 2]"
  bool plain = true;  ///< false: in quotation marks, or a block of text
  bool list = false;
  std::vector<DocumentValue> elements;  ///< of a list
};

struct DocumentSection {
  std::string name;
  int line = 0;
  std::vector<DocumentValue> values;

  const DocumentValue* find(const std::string& key) const;
};

/// A document of two levels before its names are checked: a map of maps of single values, or of
/// lists of them where the rules allow a list.
struct Document {
  std::vector<DocumentSection> sections;

  const DocumentSection* find(const std::string& name) const;
  const DocumentValue* find(const std::string& section, const std::string& key) const;
};

/// What is particular to a kind of document of this structure.
struct SectionRules {
  DocumentKind kind;
  /// The section that has a key of this name, or "". Null: sections and keys are free.
  std::string (*section_of)(const std::string& key) = nullptr;
  /// True if the value of this key is a list. Null: no value is.
  bool (*takes_list)(const std::string& section, const std::string& key) = nullptr;
};

/// Throws InputError for any other structure: YAML errors, repeated keys, other lists, deeper maps,
/// empty values, anchors, aliases, tags, several documents. An empty text or null is an empty
/// document.
Document parse_sections(const std::string& text, const std::string& origin,
                        const SectionRules& rules);

/// Builds a Document. It stops at anything beyond two levels, so that neither nesting nor
/// aliases can grow.
class SectionBuilder : public DocumentBuilder {
 public:
  SectionBuilder(const std::string& origin, const SectionRules& rules)
      : DocumentBuilder(origin, rules.kind), rules_(rules) {}

  Document take() { return std::move(document_); }

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

  DocumentSection& section() { return document_.sections.back(); }
  DocumentValue& value() { return section().values.back(); }
  void begin_section(const std::string& name, int line);
  void begin_value(const std::string& key, int line);
  void add_element(const std::string& text, bool plain, int line);

  const SectionRules& rules_;
  Document document_;
  Place place_ = Place::document;
};

}  // namespace axelram::files
