#include "cached_model.hpp"

#include <algorithm>
#include <vector>

#include "axelram/files/document_tree.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::commands::tiers {
namespace {

using files::DocumentNode;
using files::in_quotes;

constexpr files::DocumentKind kModel = {"the shape of a model", "layers: 32", "{\"layers\": 32}"};
constexpr const char* kHeadDim = "head_dim";
constexpr const char* kBatch = "batch";
constexpr std::uint64_t kMostBatch = 65536;

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list;
    for (const report::ShapeNumber& number : report::kShapeNumbers) list.push_back(number.name);
    list.insert(list.end(), {kHeadDim, kBatch});
    return list;
  }();
  return all;
}

/// Reads one document; `origin` as messages show it.
class Reader {
 public:
  Reader(const DocumentNode& root, std::string origin) : root_(root), origin_(std::move(origin)) {}

  CachedModel read() const {
    check_names();
    CachedModel model;
    for (const report::ShapeNumber& number : report::kShapeNumbers)
      model.shape.*number.member = number_of(number.name, number.most);
    model.batch = number_of(kBatch, kMostBatch);
    model.head_dim = head_dim();
    try {
      report::check_query_heads(model.shape);
    } catch (const files::InputError& error) {
      fail("query_heads", error.what());
    }
    // At most 2^36 before the loop.
    std::uint64_t bytes = 4 * model.shape.layers * model.shape.query_heads * model.head_dim;
    for (const std::uint64_t factor : {model.shape.context, model.batch})
      if (__builtin_mul_overflow(bytes, factor, &bytes) || bytes > kMostBytes)
        fail(
            kBatch,
            "more than 2^62 bytes of FP16 keys and values; give a smaller batch, context or model");
    return model;
  }

 private:
  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    files::fail_at(origin_, root_.find(name)->line, what);
  }

  void check_names() const {
    for (const DocumentNode& entry : root_.children) {
      if (std::find(names().begin(), names().end(), entry.key) != names().end()) continue;
      const std::string meant = files::did_you_mean(entry.key, names());
      files::fail_at(origin_, entry.line,
                     "unknown name " + in_quotes(entry.key) + "; " +
                         (meant.empty() ? "known are " + files::any_of(names()) : meant));
    }
    for (const std::string& name : names())
      if (root_.find(name) == nullptr)
        files::fail_at(origin_, 1, name + " is not given; give each of " + files::any_of(names()));
  }

  /// The text of a plain value; right: what to give.
  const std::string& text_of(const std::string& name, const std::string& right) const {
    const DocumentNode& node = *root_.find(name);
    if (!node.is_value() || !node.plain)
      fail(name,
           name + " is " + (node.is_value() ? "a text" : "a list or a map") + "; give " + right);
    return node.text;
  }

  std::uint64_t number_of(const std::string& name, std::uint64_t most) const {
    const std::string& text = text_of(name, "a whole number, 1 .. " + std::to_string(most));
    try {
      return report::parse_shape_number(text, name, most);
    } catch (const files::InputError& error) {
      fail(name, error.what());
    }
  }

  std::uint64_t head_dim() const {
    constexpr const char* kRight = "32, 64, 128 or 256";
    const std::string& text = text_of(kHeadDim, kRight);
    for (const std::uint64_t known : {32, 64, 128, 256})
      if (text == std::to_string(known)) return known;
    fail(kHeadDim, std::string(kHeadDim) + " is " + in_quotes(text) + "; give " + kRight);
  }

  const DocumentNode& root_;
  std::string origin_;
};

}  // namespace

std::uint64_t CachedModel::formula_bytes() const {
  return 4 * shape.layers * shape.query_heads * head_dim * shape.context * batch;
}

CachedModel parse_cached_model(const std::string& text, const std::string& origin) {
  const DocumentNode root = files::parse_tree(text, origin, kModel);
  return Reader(root, files::printable(origin)).read();
}

CachedModel read_cached_model(const std::string& path) {
  return parse_cached_model(files::read_text(path), path);
}

}  // namespace axelram::commands::tiers
