#include <algorithm>
#include <charconv>
#include <optional>

#include "axelram/files/messages.hpp"
#include "file_layout.hpp"
#include "identity.hpp"
#include "tensors/shaped_tensor.hpp"

namespace axelram::files {
namespace {

/// Checks one after the other, in the order of bit-contract.md#memory-file.
class MemoryFileReader {
 public:
  /// model: null for any.
  MemoryFileReader(const Safetensors& file, const MemoryFileModel* model)
      : file_(file), model_(model) {}

  MemoryFile read() {
    check_metadata();
    check_names();
    check_shapes();
    if (model_ != nullptr) compare_identity();
    if (content_of(file_.tensors()) != file_.metadata_at("content"))
      reject("content", "it is not the SHA-256 of the data; was the file changed?");
    read_states();
    if (model_ != nullptr) take_model();
    return std::move(all_);
  }

 private:
  std::string where(const std::string& key) const {
    return file_.origin() + ": metadata " + key + ": ";
  }
  [[noreturn]] void reject(const std::string& key, const std::string& right) const {
    throw InputError(where(key) + in_quotes(file_.metadata_at(key)) + "; " + right);
  }

  void check_metadata() {
    if (file_.metadata_at("format") != kMemoryFormat)
      reject("format", "a state file has " + std::string(kMemoryFormat));
    if (file_.metadata_at("version") != kMemoryVersion)
      reject("version", "this program reads " + std::string(kMemoryVersion));
    const std::vector<std::string>& names = names_of_metadata();
    for (const auto& [key, text] : file_.metadata())
      if (std::find(names.begin(), names.end(), key) == names.end())
        throw InputError(file_.origin() + ": metadata " + in_quotes(key) +
                         ": unknown; a state file has " + any_of(names));
    for (const std::string& name : names) file_.metadata_at(name);
    read_tokens();
    MemoryIdentity& identity = all_.identity;
    read_fields(fields_of_memory(), where("memory"), file_.metadata_at("memory"), &identity);
    read_fields(fields_of_numerics(), where("numerics"), file_.metadata_at("numerics"), &identity);
    if (const auto fault = fault_of(identity))
      throw InputError(file_.origin() + ": metadata memory and numerics: " + printable(*fault));
    identity.model = file_.metadata_at("model");
    identity.signs = file_.metadata_at("signs");
    for (const char* const key : {"content", "model", "signs"})
      check_digest(where(key), file_.metadata_at(key));
  }

  void read_tokens() {
    const std::string& text = file_.metadata_at("tokens");
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), all_.tokens);
    if (text.size() != kTokenDigits || error != std::errc() || stop != text.data() + text.size() ||
        all_.tokens < 0 || all_.tokens > kLongestSequence)
      reject("tokens", "ten digits, 0000000000 to 2147483648, are valid");
  }

  /// The digest does not cover the names, so that the data must be in this order.
  void check_names() {
    std::vector<std::string> names;
    for (const SlotTensor& tensor : slot_tensors(layout_of(all_.identity), {}))
      names.push_back(tensor.name);
    names.emplace_back(kHidden);
    for (const Tensor& tensor : file_.tensors())
      if (std::find(names.begin(), names.end(), tensor.name) == names.end())
        fail_at_tensor(file_, printable(tensor.name), "unknown; a state has " + any_of(names));
    for (const std::string& name : names) file_.at(name);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (file_.tensors()[i].name != names[i])
        fail_at_tensor(file_, file_.tensors()[i].name,
                       "its data are where those of " + names[i] + " must be");
  }

  void check_shapes() {
    if (model_ != nullptr) {
      all_.layers = model_->layers, all_.heads = model_->heads;
      all_.hidden.resize(model_->hidden);
    } else {
      const Tensor& labels = file_.at("labels", DataType::u8, 3);
      all_.layers = labels.shape[0], all_.heads = labels.shape[1];
      all_.hidden.resize(file_.at(kHidden, DataType::f32, 1).elements());
      for (const Tensor* const one : {&labels, &file_.at(kHidden)})
        if (one->elements() == 0)
          fail_at_tensor(file_, one->name,
                         "shape is " + printable(to_string(one->shape)) + "; it must not be empty");
    }
    for (const SlotTensor& tensor :
         slot_tensors(layout_of(all_.identity), {all_.layers, all_.heads}))
      shaped_tensor(file_, tensor.name, tensor.type, tensor.shape);
    shaped_tensor(file_, kHidden, DataType::f32, {all_.hidden.size()});
  }

  void compare_identity() const {
    const MemoryIdentity& right = model_->identity;
    if (all_.identity.model != right.model)
      reject("model", "this model has " + in_quotes(right.model));
    if (all_.identity.signs != right.signs)
      throw OtherMemoryError(where("signs") + in_quotes(all_.identity.signs) +
                             "; this memory has " + in_quotes(right.signs) +
                             " with its signs and centers");
    compare_fields(fields_of_memory(), where("memory"), all_.identity, right);
    compare_fields(fields_of_numerics(), where("numerics"), all_.identity, right);
  }

  void read_states() {
    const std::int64_t longest = model_ != nullptr ? model_->longest : kLongestSequence;
    if (all_.tokens > longest)
      reject("tokens", "a sequence has at most " + std::to_string(longest) + " tokens");
    std::optional<std::size_t> longer;  // of which masters go on behind the summaries
    for (ReadSlots& slots :
         slots_in(file_, "", layout_of(all_.identity), {all_.layers, all_.heads})) {
      slots.state.tokens = all_.tokens;
      if (!slots.rest_of_masters_is_zero && !longer) longer = all_.states.size();
      all_.states.push_back(std::move(slots.state));
    }
    all_.hidden = file_.at(kHidden).values<float>();
    check_states(file_.origin() + ": ", all_, longest);
    if (longer)
      fail_at_tensor(file_, "masters",
                     "layer " + std::to_string(*longer / all_.heads) + ", head " +
                         std::to_string(*longer % all_.heads) +
                         ": elements behind those of the summaries are not 0; they must be 0");
  }

  /// Takes the identity that was asked for, whose further slots are free.
  void take_model() {
    all_.identity = model_->identity;
    const auto slots = static_cast<std::size_t>(all_.identity.memory.slots());
    for (MemoryState& state : all_.states) {
      const std::size_t before = state.slots();
      const auto grow = [&](auto& values) { values.resize(values.size() / before * slots); };
      grow(state.labels), grow(state.gates), grow(state.positions), grow(state.stamps);
      grow(state.merged), grow(state.key_records), grow(state.value_records);
      grow(state.masters), grow(state.keys), grow(state.values);
    }
  }

  const Safetensors& file_;
  const MemoryFileModel* model_;
  MemoryFile all_;
};

}  // namespace

MemoryFile memory_file_from(const Safetensors& file) {
  return MemoryFileReader(file, nullptr).read();
}

MemoryFile memory_file_from(const Safetensors& file, const MemoryFileModel& model) {
  return MemoryFileReader(file, &model).read();
}

MemoryFile read_memory_file(const std::string& path) {
  return memory_file_from(Safetensors::read(path));
}

MemoryFile read_memory_file(const std::string& path, const MemoryIdentity& identity,
                            std::size_t layers, std::size_t heads, std::size_t hidden,
                            std::int64_t longest) {
  return memory_file_from(Safetensors::read(path), {identity, layers, heads, hidden, longest});
}

}  // namespace axelram::files
