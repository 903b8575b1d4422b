#include "axelram/files/document_tree.hpp"

#include <utility>

#include "axelram/files/messages.hpp"
#include "disk/input_file.hpp"
#include "parser.hpp"

namespace axelram::files {
namespace {

/// Builds a tree from the events of a parser. It stops beyond kMaxTreeDepth levels.
class TreeBuilder : public DocumentBuilder {
 public:
  using DocumentBuilder::DocumentBuilder;

  DocumentNode take() { return std::move(root_); }

  void scalar(const std::string& text, bool plain, int line) override {
    if (at_key()) return begin_entry(text, line);
    if (open_.empty())
      stop(line,
           "one value, " + in_quotes(text) + ", instead of a map; write such as " + kind().example);
    DocumentNode& node = add(DocumentNode::Kind::value, line);
    node.text = text;
    node.plain = plain;
  }

  void null(int line) override {
    if (open_.empty()) return;
    if (at_key()) stop(line, "an empty key; name what is set");
    stop(has_key_ ? key_line_ : line,
         named(*open_.back()) + " has an empty value; give it one or leave it out");
  }

  void begin_map(int line) override {
    if (at_key()) stop(line, "a map as a key; name what is set");
    open(DocumentNode::Kind::map, line);
  }
  void end_map() override { open_.pop_back(); }

  void begin_list(int line) override {
    if (at_key()) stop(line, "a list as a key; name what is set");
    if (open_.empty()) stop(line, std::string("a list; write such as ") + kind().example);
    open(DocumentNode::Kind::list, line);
  }
  void end_list() override { open_.pop_back(); }

 private:
  bool at_key() const { return !open_.empty() && open_.back()->is_map() && !has_key_; }

  /// How messages name what contains the next value.
  std::string named(const DocumentNode& node) const {
    const std::string& key = has_key_ ? key_ : node.key;
    return key.empty() ? "the list" : in_quotes(key);
  }

  void begin_entry(const std::string& key, int line) {
    if (key == "<<") stop(line, "a merge key (<<); write the keys themselves");
    if (const DocumentNode* const earlier = open_.back()->find(key))
      stop(line, in_quotes(key) + " repeats; line " + std::to_string(earlier->line) +
                     " has it already, keep one");
    key_ = key;
    key_line_ = line;
    has_key_ = true;
  }

  /// Adds a node to what is open, or begins the document. A parent has no further children while
  /// one of them is open, so that pointers to nodes stay valid.
  DocumentNode& add(DocumentNode::Kind kind, int line) {
    DocumentNode& node = open_.empty() ? root_ : open_.back()->children.emplace_back();
    node.kind = kind;
    node.line = has_key_ ? key_line_ : line;
    node.key = std::exchange(key_, "");
    has_key_ = false;
    return node;
  }

  void open(DocumentNode::Kind kind, int line) {
    if (open_.size() >= kMaxTreeDepth)
      stop(line, "more than " + std::to_string(kMaxTreeDepth) +
                     " lists and maps within each other; " + this->kind().what + " has fewer");
    open_.push_back(&add(kind, line));
  }

  DocumentNode root_{DocumentNode::Kind::map, 1, "", "", true, {}};
  std::vector<DocumentNode*> open_;  // from the outermost
  std::string key_;                  // of the next value of a map
  int key_line_ = 0;
  bool has_key_ = false;
};

}  // namespace

const DocumentNode* DocumentNode::find(const std::string& name) const {
  for (const DocumentNode& child : children)
    if (child.key == name) return &child;
  return nullptr;
}

DocumentNode parse_tree(const std::string& text, const std::string& origin,
                        const DocumentKind& kind) {
  const std::string shown = printable(origin);
  TreeBuilder builder(shown, kind);
  parse_text(text, shown, &builder);
  return builder.take();
}

std::string read_text(const std::string& path) { return text_of_file(path, kMaxDocumentBytes); }

}  // namespace axelram::files
