#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace axelram::files {

/// A value, a list or a map of a YAML or JSON document.
struct DocumentNode {
  enum class Kind { value, list, map };

  Kind kind = Kind::value;
  int line = 0;       ///< from 1
  std::string key;    ///< of an entry of a map
  std::string text;   ///< of a value
  bool plain = true;  ///< of a value; false: in quotation marks, or a block of text
  std::vector<DocumentNode> children;  ///< of a list or a map, in the order of the text

  /// The entry of a map, or nullptr.
  const DocumentNode* find(const std::string& name) const;
  bool is_value() const { return kind == Kind::value; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
};

/// What messages say of a document.
struct DocumentKind {
  const char* what;     ///< "a sweep"
  const char* example;  ///< one entry
  const char* json;     ///< the same in JSON
};

/// Lists and maps within each other, at most.
constexpr int kMaxTreeDepth = 4;

/// Reads a document whose top level is a map: UTF-8, at most 64 KiB, YAML or JSON. An empty text is
/// an empty map. Throws InputError ("origin:line: ...") for anything else: YAML errors, repeated
/// keys, empty values, anchors, aliases, tags, several documents, more than kMaxTreeDepth levels.
DocumentNode parse_tree(const std::string& text, const std::string& origin,
                        const DocumentKind& kind);

/// Content of a file or pipe of at most 64 KiB. Throws InputError, EnvironmentError.
std::string read_text(const std::string& path);

}  // namespace axelram::files
