#include <charconv>
#include <string_view>

#include "axelram/caches/specification.hpp"

namespace axelram::caches {
namespace {

/// A name and the keys that are not at their defaults.
class Text {
 public:
  explicit Text(std::string name) : text_(std::move(name)) {}

  void add(const char* key, std::string_view value) {
    text_ += separator_;
    text_ += key;
    text_ += '=';
    text_ += value;
    separator_ = ',';
  }
  void add(const Faults& faults) {
    if (faults.ber != 0) {
      char shortest[32];
      const auto end = std::to_chars(shortest, shortest + sizeof shortest, faults.ber).ptr;
      add("ber", std::string_view(shortest, static_cast<std::size_t>(end - shortest)));
    }
    if (faults.seed != 0) add("fault_seed", std::to_string(faults.seed));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  char separator_ = ':';
};

std::string text_of(const Float32&) { return "f32"; }
std::string text_of(const Float16&) { return "fp16"; }

std::string text_of(const Axelram& store) {
  Text text("axelram");
  text.add("config", store.config);
  if (store.seed) text.add("seed", std::to_string(*store.seed));
  text.add(store.faults);
  return text.text();
}

std::string text_of(const Int4& store) {
  Text text("int4");
  if (store.mode == Int4Mode::asymmetric) text.add("mode", "asymmetric");
  if (store.group != 0) text.add("group", std::to_string(store.group));
  if (store.code != "none") text.add("code", store.code);
  if (store.erasure != ErasurePolicy::keep)
    text.add("erasure", store.erasure == ErasurePolicy::zero ? "zero" : "interpolate");
  text.add(store.faults);
  return text.text();
}

std::string text_of(const StoreSpecification& store) {
  return std::visit([](const auto& one) { return text_of(one); }, store);
}

}  // namespace

std::string to_string(const Specification& specification) {
  const std::string keys = text_of(specification.keys), values = text_of(specification.values);
  return keys == values ? keys : "keys=" + keys + ";values=" + values;
}

}  // namespace axelram::caches
