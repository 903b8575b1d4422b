#include <algorithm>
#include <cstdint>
#include <string>

#include "axelram/files/document_tree.hpp"
#include "axelram/files/errors.hpp"
#include "require.hpp"

using namespace axelram::files;

namespace {

int depth_of(const DocumentNode& node) {
  int deepest = 0;
  for (const DocumentNode& child : node.children) {
    require(child.line >= 1, "a line");
    require(node.is_map() || child.key.empty(), "a key in a list");
    require(!node.is_map() || node.find(child.key) == &child, "a key twice");
    deepest = std::max(deepest, depth_of(child));
  }
  require(!node.is_value() || node.children.empty(), "a value with children");
  return deepest + (node.is_value() ? 0 : 1);
}

}  // namespace

/// Any text gives a tree of lists and maps, or an InputError on one line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const DocumentNode root = parse_tree(text, "f", {"a tree", "a: 1", "{\"a\": 1}"});
    require(root.is_map(), "a map at the top");
    require(depth_of(root) <= kMaxTreeDepth, "depth");
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(message.rfind("f:", 0) == 0, message);
    require(message.find_first_of("\n\r") == std::string::npos, message);
    require(message.find("; ") != std::string::npos, message);
    require(message.size() < 1500, message);
  }
  return 0;
}
