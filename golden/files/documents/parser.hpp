#pragma once

#include <cstddef>
#include <string>

#include "axelram/files/document_tree.hpp"
#include "axelram/files/errors.hpp"

namespace axelram::files {

/// Longest text of a document.
constexpr std::size_t kMaxDocumentBytes = 65536;

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

/// Checks a text and passes its events to a builder. Throws EnvironmentError if the text does not
/// begin as JSON and the program was built without yaml-cpp.
void parse_text(const std::string& text, const std::string& origin, DocumentBuilder* builder);

/// Parsers of a text that has been checked.
void parse_yaml(const std::string& text, DocumentBuilder* builder);
void parse_json(const std::string& text, DocumentBuilder* builder);

}  // namespace axelram::files
