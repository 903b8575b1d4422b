#include "axelram/caches/specification.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::caches {
namespace {

using Names = std::vector<std::string>;

std::string advice(std::string_view given, const Names& known) {
  const std::string meant = files::nearest(given, known);
  return "known are " + files::any_of(known) + (meant.empty() ? "" : "; was " + meant + " meant?");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The keys and values of one store, each taken out by the reader that knows it.
class Values {
 public:
  /// `where` begins every message; `text` is what follows the name, `known` its keys.
  Values(std::string where, std::string_view name, std::string_view text, const Names& known)
      : where_(std::move(where)) {
    for (const std::string_view item : split(text, ',')) {
      const std::size_t equals = item.find('=');
      const std::string key(item.substr(0, equals));
      if (std::find(known.begin(), known.end(), key) == known.end())
        fail(std::string(name) + " has no key " + files::in_quotes(key) + "; " +
             advice(key, known));
      if (equals == std::string_view::npos || equals + 1 == item.size())
        fail(key + " has no value; write " + key + "=...");
      if (find(key) != nullptr) fail(key + " is given twice; give it once");
      items_.emplace_back(key, std::string(item.substr(equals + 1)));
    }
  }
  explicit Values(std::string where) : where_(std::move(where)) {}

  [[noreturn]] void fail(const std::string& what) const { throw files::InputError(where_ + what); }

  const std::string* find(std::string_view key) const {
    for (const auto& item : items_)
      if (item.first == key) return &item.second;
    return nullptr;
  }

  template <class T>
  T number(const char* key, T fallback, T low, T high, const char* right) const {
    const std::string* const text = find(key);
    if (text == nullptr) return fallback;
    T value{};
    const char* const end = text->data() + text->size();
    const auto [last, error] = std::from_chars(text->data(), end, value);
    if (error != std::errc() || last != end || !(value >= low && value <= high))
      fail(std::string(key) + " is " + files::in_quotes(*text) + "; it must be " + right);
    return value;
  }

  std::uint64_t seed(const char* key, std::uint64_t fallback) const {
    return number<std::uint64_t>(key, fallback, 0, ~std::uint64_t{0},
                                 "a whole number from 0 to 2^64 - 1");
  }

  /// The position of the value in `choices`.
  std::size_t choice(const char* key, const Names& choices) const {
    const std::string* const text = find(key);
    if (text == nullptr) return 0;
    const auto place = std::find(choices.begin(), choices.end(), *text);
    if (place == choices.end())
      fail(std::string(key) + " is " + files::in_quotes(*text) + "; " + advice(*text, choices));
    return static_cast<std::size_t>(place - choices.begin());
  }

  std::string code() const {
    const std::string* const text = find("code");
    if (text == nullptr || *text == "none") return "none";
    try {
      return make_code(*text).name;
    } catch (const std::invalid_argument& error) {
      fail("code is " + files::in_quotes(*text) + ", " + files::printable(error.what()) +
           "; it must be none, hamming74, hamming84, golay24 or hsiao_N_K");
    }
  }

  Faults faults() const {
    return {number<double>("ber", 0, 0, 1, "a probability from 0 to 1"), seed("fault_seed", 0)};
  }

 private:
  std::string where_;
  std::vector<std::pair<std::string, std::string>> items_;
};

Axelram axelram_store(const Values& values) {
  Axelram store;
  const std::string* const config = values.find("config");
  if (config == nullptr) values.fail("axelram needs a configuration; write axelram:config=FILE");
  store.config = *config;
  if (values.find("seed") != nullptr) store.seed = values.seed("seed", 0);
  store.faults = values.faults();
  return store;
}

Int4 int4_store(const Values& values) {
  Int4 store;
  store.mode = static_cast<Int4Mode>(values.choice("mode", {"symmetric", "asymmetric"}));
  store.group = values.number<int>("group", 0, 1, 1 << 20,
                                   "a whole number of neighbouring values, such as 32");
  store.code = values.code();
  store.erasure =
      static_cast<ErasurePolicy>(values.choice("erasure", {"keep", "zero", "interpolate"}));
  store.faults = values.faults();
  return store;
}

StoreSpecification parse_store(std::string_view text, const std::string& where) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto values = [&](const Names& known) {
    return colon == std::string_view::npos ? Values(where)
                                           : Values(where, name, text.substr(colon + 1), known);
  };
  if (name == "axelram") return axelram_store(values({"config", "seed", "ber", "fault_seed"}));
  if (name == "int4")
    return int4_store(values({"mode", "group", "code", "erasure", "ber", "fault_seed"}));
  const Names names = {"f32", "fp16", "axelram", "int4"};
  if (name != "f32" && name != "fp16")
    Values(where).fail("there is no cache " + files::in_quotes(name) + "; " + advice(name, names));
  if (colon != std::string_view::npos)
    Values(where).fail(std::string(name) + " takes no keys; write " + std::string(name));
  if (name == "f32") return Float32{};
  return Float16{};
}

}  // namespace

Specification parse_specification(const std::string& text) {
  const std::string where = "cache specification " + files::in_quotes(text) + ": ";
  const std::string_view all = text;
  if (!all.starts_with("keys=") && !all.starts_with("values=") &&
      all.find(';') == std::string_view::npos) {
    const StoreSpecification both = parse_store(text, where);
    return {both, both};
  }
  const std::vector<std::string_view> parts = split(text, ';');
  if (parts.size() != 2 || !parts[0].starts_with("keys=") || !parts[1].starts_with("values="))
    Values(where).fail("where keys and values differ, write keys=SPEC;values=SPEC");
  return {parse_store(parts[0].substr(5), where), parse_store(parts[1].substr(7), where)};
}

}  // namespace axelram::caches
