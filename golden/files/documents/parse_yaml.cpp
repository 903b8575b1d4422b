#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "axelram/files/messages.hpp"
#include "parser.hpp"

namespace axelram::files {
namespace {

/// True if a tab precedes the first other character of the line; YAML requires spaces.
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

/// Events of yaml-cpp. Features of YAML beyond JSON are errors.
class YamlEvents : public YAML::EventHandler {
 public:
  YamlEvents(const std::string& text, DocumentBuilder& builder) : text_(text), builder_(builder) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      stop(mark,
           std::string("a second document begins; ") + builder_.kind().what + " is one document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    reject_decoration(mark, "?", anchor);
    builder_.null(mark.line + 1);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    stop(mark, "an alias (*); write the value itself");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    reject_decoration(mark, tag, anchor);
    if (builder_.in_section() && indented_by_tab(text_, mark.line + 1))
      stop(mark, "a tab indents this line; YAML is indented by spaces");
    builder_.scalar(text, tag == "?", mark.line + 1);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    reject_decoration(mark, tag, anchor);
    builder_.begin_list(mark.line + 1);
  }
  void OnSequenceEnd() override { builder_.end_list(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    reject_decoration(mark, tag, anchor);
    builder_.begin_map(mark.line + 1);
  }
  void OnMapEnd() override { builder_.end_map(); }

 private:
  [[noreturn]] void stop(const YAML::Mark& mark, const std::string& what) const {
    builder_.stop(mark.line + 1, what);
  }

  void reject_decoration(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) stop(mark, "an anchor (&); write each value where it belongs");
    if (tag != "?" && tag != "!" && !tag.empty())
      stop(mark, "the tag " + in_quotes(tag) + "; write plain values, their types are known");
  }

  const std::string& text_;
  DocumentBuilder& builder_;
  int documents_ = 0;
};

}  // namespace

void parse_yaml(const std::string& text, DocumentBuilder* builder) {
  YamlEvents events(text, *builder);
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YAML::Exception& error) {
    builder->stop(error.mark.is_null() ? 1 : error.mark.line + 1,
                  "not YAML: " + printable(error.msg) + "; write sections such as " +
                      builder->kind().example);
  }
}

}  // namespace axelram::files
