#include "spec_values.hpp"

#include <algorithm>

#include "axelram/files/messages.hpp"
#include "axelram/files/notes.hpp"

namespace axelram::commands::sweeps {
namespace {

using files::DocumentNode;
using files::in_quotes;

std::string what_of(const DocumentNode& node) {
  return node.key.empty() ? "an element" : in_quotes(node.key);
}

std::string kind_of(const DocumentNode& node) {
  switch (node.kind) {
    case DocumentNode::Kind::value:
      return "one value, " + in_quotes(node.text);
    case DocumentNode::Kind::list:
      return "a list";
    case DocumentNode::Kind::map:
      return "a map";
  }
  throw std::logic_error("a node has no kind");
}

/// A name of a file would end at this character.
void reject_nul(const DocumentNode& value, const Spec& spec) {
  if (value.text.find('\0') != std::string::npos)
    spec.fail(value.line, what_of(value) + " is " + in_quotes(value.text) +
                              ", which has a NUL character; leave it out");
}

}  // namespace

const std::vector<DocumentNode>& entries(const DocumentNode& node, const Spec& spec) {
  if (!node.is_map())
    spec.fail(node.line, what_of(node) + " is " + kind_of(node) +
                             "; write a map, such as {ecc.code: hamming84}");
  if (node.children.empty())
    spec.fail(node.line, what_of(node) + " is an empty map; name a key, or leave it out");
  return node.children;
}

const std::vector<DocumentNode>& elements(const DocumentNode& node, const Spec& spec) {
  if (!node.is_list())
    spec.fail(node.line, what_of(node) + " is " + kind_of(node) + "; write a list, such as [a, b]");
  if (node.children.empty())
    spec.fail(node.line, what_of(node) + " is an empty list; give an element, or leave it out");
  return node.children;
}

Named named(const DocumentNode& node, const Spec& spec) {
  if (!node.is_value())
    spec.fail(node.line, what_of(node) + " is " + kind_of(node) + "; give a name");
  if (node.text.empty()) spec.fail(node.line, what_of(node) + " is empty; give a name");
  reject_nul(node, spec);
  return {node.text, node.line};
}

void check_names(const DocumentNode& node, const std::vector<std::string>& known,
                 const Spec& spec) {
  if (!node.is_map()) entries(node, spec);
  for (const DocumentNode& entry : node.children) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::string meant = files::did_you_mean(entry.key, known);
    spec.fail(entry.line, "unknown name " + in_quotes(entry.key) + "; " +
                              (meant.empty() ? "known are " + files::any_of(known) : meant));
  }
}

const DocumentNode& needed(const DocumentNode& node, const std::string& name, const Spec& spec) {
  const DocumentNode* const found = node.find(name);
  if (found == nullptr)
    spec.fail(node.line, "a front without " + name +
                             "; write {x: FIGURE, x_best: lowest, y: FIGURE, y_best: lowest}");
  return *found;
}

bool second_of(const DocumentNode& node, const Choices& names, const Spec& spec) {
  const Named name = named(node, spec);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name.text == names[i]) return i == 1;
  spec.fail(name.line,
            node.key + " is " + in_quotes(name.text) + "; give " + names[0] + " or " + names[1]);
}

files::ConfigKeyRow key_of(const DocumentNode& entry, const Spec& spec) {
  static const std::vector<files::ConfigKeyRow> rows = files::config_keys();
  std::vector<std::string> names;
  for (const files::ConfigKeyRow& row : rows) {
    names.push_back(row.section + "." + row.key);
    if (names.back() == entry.key) return row;
    if (!row.former.empty() && row.former == entry.key) {
      files::note(spec.origin + ":" + std::to_string(entry.line) + ": " + row.former + " is now " +
                  names.back());
      return row;
    }
  }
  for (const files::ConfigKeyRow& row : rows)
    if (row.key == entry.key)
      spec.fail(entry.line, in_quotes(entry.key) + " is a key of section " + row.section +
                                "; write " + row.section + "." + row.key);
  const std::string meant = files::did_you_mean(entry.key, names);
  spec.fail(
      entry.line,
      "unknown configuration key " + in_quotes(entry.key) + "; " +
          (meant.empty() ? "'axelram list keys' shows all, write one as section.key" : meant));
}

void check_value(const files::ConfigKeyRow& key, const DocumentNode& value, const Spec& spec) {
  const std::string name = key.section + "." + key.key;
  reject_nul(value, spec);
  if (value.is_value()) return;
  const bool list = key.type == "integers";
  if (value.is_map() || !list)
    spec.fail(value.line, name + " has a value that is " + kind_of(value) + "; give " +
                              (list ? "a list of numbers" : "one value"));
  for (const DocumentNode& element : value.children)
    if (!element.is_value())
      spec.fail(element.line, name + " has a list with " + kind_of(element) + "; give numbers");
}

}  // namespace axelram::commands::sweeps
