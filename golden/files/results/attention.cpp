#include "attention.hpp"

#include <charconv>

#include "axelram/files/messages.hpp"
#include "axelram/half.hpp"

namespace axelram::files {
namespace {

std::string text_of(const BinaryScale& scale) {
  return std::to_string(scale.significand) + ',' + std::to_string(scale.exponent);
}

BinaryScale scale_in(const Safetensors& file, const char* key) {
  const std::string& text = file.metadata_at(key);
  const char* const end = text.data() + text.size();
  BinaryScale scale;
  const auto middle = std::from_chars(text.data(), end, scale.significand);
  if (middle.ec == std::errc() && middle.ptr != end)
    std::from_chars(middle.ptr + 1, end, scale.exponent);
  if (text_of(scale) != text)
    throw InputError(file.origin() + ": metadata " + key + " is " + in_quotes(text) +
                     "; it must be a significand and an exponent with a comma between");
  return scale;
}

int weight_bits_in(const Safetensors& file) {
  const std::string& text = file.metadata_at("weight_bits");
  int bits = 0;
  std::from_chars(text.data(), text.data() + text.size(), bits);
  if (std::to_string(bits) != text)
    throw InputError(file.origin() + ": metadata weight_bits is " + in_quotes(text) +
                     "; it must be a whole number");
  return bits;
}

}  // namespace

void add_attention_metadata(const AttentionTensors& attention, Metadata* metadata) {
  (*metadata)["softmax_scale"] = text_of(attention.softmax_scale);
  (*metadata)["value_scale"] = text_of(attention.value_scale);
  (*metadata)["weight_bits"] = std::to_string(attention.weight_bits);
}

std::optional<AttentionTensors> attention_in(const Safetensors& file) {
  if (file.find("value_indices") == nullptr) return std::nullopt;
  AttentionTensors attention;
  const Tensor* const outputs = file.find("outputs");
  if (outputs != nullptr && outputs->type == DataType::f32) attention.output = OutputFormat::fp32;
  if (file.find("refused") != nullptr) attention.refused.emplace();
  attention.softmax_scale = scale_in(file, "softmax_scale");
  attention.value_scale = scale_in(file, "value_scale");
  attention.weight_bits = weight_bits_in(file);
  return attention;
}

float AttentionTensors::output_at(std::size_t at) const {
  return output == OutputFormat::fp16 ? static_cast<float>(half_to_double(half_outputs[at]))
                                      : float_outputs[at];
}

}  // namespace axelram::files
