#include "safetensors_header.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

struct NamedType {
  DataType type;
  const char* name;
  std::size_t size;
};

constexpr std::array<NamedType, 15> kTypes = {{{DataType::boolean, "BOOL", 1},
                                               {DataType::u8, "U8", 1},
                                               {DataType::i8, "I8", 1},
                                               {DataType::f8_e4m3, "F8_E4M3", 1},
                                               {DataType::f8_e5m2, "F8_E5M2", 1},
                                               {DataType::u16, "U16", 2},
                                               {DataType::i16, "I16", 2},
                                               {DataType::f16, "F16", 2},
                                               {DataType::bf16, "BF16", 2},
                                               {DataType::u32, "U32", 4},
                                               {DataType::i32, "I32", 4},
                                               {DataType::f32, "F32", 4},
                                               {DataType::u64, "U64", 8},
                                               {DataType::i64, "I64", 8},
                                               {DataType::f64, "F64", 8}}};

/// Accepts parser events only in the nesting of the format, so that no other nesting is built:
/// {"__metadata__": {text: text}, name: {dtype, shape, data_offsets}}.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(const std::string& origin) : origin_(origin) {}

  SafetensorsHeader take() { return std::move(header_); }

  /// Metadata that are null are none, as for Hugging Face's own reader.
  bool null() override {
    if (state_ != State::metadata) unexpected("null");
    state_ = State::in_header;
    return true;
  }
  bool boolean(bool) override { unexpected("a truth value"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t& text) override {
    unexpected("the number " + printable(text));
  }
  bool binary(binary_t&) override { unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (state_ != State::in_shape && state_ != State::in_offsets) unexpected("a number");
    numbers_.push_back(value);
    return true;
  }

  bool string(string_t& text) override {
    if (state_ == State::metadata_value) {
      header_.metadata[key_] = text;
      state_ = State::in_metadata;
    } else if (state_ == State::dtype) {
      set_type(text);
      state_ = State::in_tensor;
    } else {
      unexpected("the text " + in_quotes(text));
    }
    return true;
  }

  bool start_object(std::size_t) override {
    switch (state_) {
      case State::start:
        state_ = State::in_header;
        return true;
      case State::metadata:
        state_ = State::in_metadata;
        return true;
      case State::tensor:
        state_ = State::in_tensor;
        fields_.clear();
        return true;
      default:
        unexpected("an object");
    }
  }

  bool key(string_t& text) override {
    key_ = text;
    if (state_ == State::in_header) {
      if (!names_.insert(text).second)
        fail("the name " + in_quotes(text) + " repeats; use it once");
      state_ = text == "__metadata__" ? State::metadata : State::tensor;
      if (state_ == State::tensor) header_.tensors.emplace_back().name = text;
    } else if (state_ == State::in_metadata) {
      if (header_.metadata.count(text) != 0)
        fail("the metadata key " + in_quotes(text) + " repeats; use it once");
      state_ = State::metadata_value;
    } else {
      if (!fields_.insert(text).second) fail_tensor(in_quotes(text) + " repeats; give it once");
      if (text == "dtype")
        state_ = State::dtype;
      else if (text == "shape")
        state_ = State::shape;
      else if (text == "data_offsets")
        state_ = State::offsets;
      else
        fail_tensor("unknown key " + in_quotes(text) + "; dtype, shape and data_offsets are known");
    }
    return true;
  }

  bool end_object() override {
    if (state_ == State::in_tensor) {
      if (fields_.size() != 3) fail_tensor("incomplete; it needs dtype, shape and data_offsets");
      state_ = State::in_header;
    } else {
      state_ = state_ == State::in_metadata ? State::in_header : State::start;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (state_ == State::shape)
      state_ = State::in_shape;
    else if (state_ == State::offsets)
      state_ = State::in_offsets;
    else
      unexpected("a list");
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    TensorEntry& tensor = header_.tensors.back();
    if (state_ == State::in_shape) {
      tensor.shape = numbers_;
    } else {
      if (numbers_.size() != 2) fail_tensor("data_offsets must be two numbers, begin and end");
      tensor.begin = numbers_[0];
      tensor.end = numbers_[1];
    }
    state_ = State::in_tensor;
    return true;
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at ..." without its label
    const std::string text = error.what();
    const std::size_t label = text.find("] ");
    fail("not JSON: " + printable(label == std::string::npos ? text : text.substr(label + 2)) +
         "; write the file again");
  }

 private:
  enum class State {
    start,
    in_header,
    metadata,
    in_metadata,
    metadata_value,
    tensor,
    in_tensor,
    dtype,
    shape,
    in_shape,
    offsets,
    in_offsets
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(origin_ + ": safetensors header: " + what);
  }
  [[noreturn]] void fail_tensor(const std::string& what) const {
    throw InputError(origin_ + ": tensor " + printable(header_.tensors.back().name) + ": " + what);
  }

  [[noreturn]] void unexpected(const std::string& what) const {
    switch (state_) {
      case State::start:
        fail(what + " instead of an object of tensors; write the file again");
      case State::metadata:
        fail("__metadata__ is " + what + "; it must be an object of texts");
      case State::metadata_value:
        fail("the metadata " + in_quotes(key_) + " is " + what + "; it must be a text");
      case State::tensor:
        fail_tensor("it is " + what + "; it must be an object of dtype, shape and data_offsets");
      case State::dtype:
        fail_tensor("dtype is " + what + "; it must be a text such as F16");
      default:
        fail_tensor("shape or data_offsets holds " + what + "; whole numbers from 0 belong there");
    }
  }

  void set_type(const std::string& text) {
    for (const NamedType& known : kTypes) {
      if (text != known.name) continue;
      header_.tensors.back().type = known.type;
      return;
    }
    fail_tensor("unknown dtype " + in_quotes(text) +
                "; known are BOOL, U8 to F64, F16, BF16 and F8");
  }

  const std::string& origin_;
  State state_ = State::start;
  std::string key_;
  std::set<std::string> names_;
  std::set<std::string> fields_;
  Shape numbers_;
  SafetensorsHeader header_;
};

}  // namespace

std::size_t size_of(DataType type) { return kTypes[static_cast<std::size_t>(type)].size; }
const char* name_of(DataType type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const std::uint64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

bool bytes_of(const Shape& shape, DataType type, std::uint64_t& bytes) {
  bool empty = false;
  bytes = size_of(type);
  for (const std::uint64_t extent : shape) {
    if (extent == 0)
      empty = true;
    else if (__builtin_mul_overflow(bytes, extent, &bytes))
      return false;
  }
  if (empty) bytes = 0;
  return true;
}

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& origin) {
  // The JSON parser would end the text at a NUL byte and ignore a byte order mark.
  if (json.empty() || json.front() != '{' || json.find('\0') != std::string_view::npos)
    throw InputError(origin + ": safetensors header: it must be JSON text that starts with {");
  Builder builder(origin);
  nlohmann::json::sax_parse(json.begin(), json.end(), &builder);
  return builder.take();
}

}  // namespace axelram::files
