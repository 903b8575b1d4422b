#include "axelram/files/result.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "axelram/files/messages.hpp"
#include "axelram/parameters.hpp"
#include "result_tensors.hpp"

namespace axelram::files {
namespace {

/// Text of 17 significant digits, which parses to the same double, in any locale.
std::string decimal(double value) {
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 17);
  return {text.data(), end.ptr};
}

std::string comma_separated(const std::vector<std::int32_t>& words) {
  std::string text;
  for (const std::int32_t word : words) text += (text.empty() ? "" : ",") + std::to_string(word);
  return text;
}

/// Parses a number. Rejects a text that formatting the number would not give.
double parse_decimal(const Safetensors& file, const char* key) {
  const std::string& text = file.metadata_at(key);
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || !std::isfinite(value) || decimal(value) != text)
    throw InputError(file.origin() + ": metadata " + key + " is " + in_quotes(text) +
                     "; it must be a decimal number of 17 significant digits");
  return value;
}

std::vector<std::int32_t> parse_words(const Safetensors& file, const char* key, std::size_t count) {
  const std::string& text = file.metadata_at(key);
  std::vector<std::int32_t> words;
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next < end && words.size() < count) {
    std::int32_t word = 0;
    const auto parsed = std::from_chars(next, end, word);
    if (parsed.ec != std::errc()) break;
    words.push_back(word);
    next = parsed.ptr < end ? parsed.ptr + 1 : end;
  }
  if (words.size() != count || comma_separated(words) != text)
    throw InputError(file.origin() + ": metadata " + key + " is " + in_quotes(text) +
                     "; it must be " + std::to_string(count) + " integers with commas between");
  return words;
}

/// Sizes of the first tensors, which the others must match.
Result sized_from(const Safetensors& file) {
  const Tensor& indices = file.at("indices", DataType::u8, 2);
  const Tensor& thresholds = file.at("thresholds", DataType::i32, 2);
  Result result;
  result.tokens = indices.shape[0];
  result.queries = file.at("rotated_queries", DataType::i32, 2).shape[0];
  Parameters p;
  for (p.head_dim = 256; p.head_dim > 32; p.head_dim /= 2)
    if (indices.shape[1] == static_cast<std::uint64_t>(p.head_dim)) break;
  for (p.index_bits = 4; p.index_bits > 2; --p.index_bits)
    if (thresholds.shape[1] == static_cast<std::uint64_t>(p.boundaries())) break;
  result.head_dim = p.head_dim;
  result.index_bits = p.index_bits;
  result.unbiased = file.find("correlations") != nullptr;
  if (file.find("codewords")) {
    result.codeword_bytes = file.at("codewords", DataType::u8, 2).shape[1];
    if (result.codeword_bytes == 0)
      throw InputError(file.origin() + ": tensor codewords: no bytes in a row; leave it out");
  }
  return result;
}

}  // namespace

Metadata metadata_of(const Result& result) {
  return {{"score_scale", decimal(result.score_scale)},
          {"kappa", decimal(result.kappa)},
          {"centroids", comma_separated(result.centroids)},
          {"boundaries", comma_separated(result.boundaries)}};
}

void write_result(const std::string& path, const Result& result, bool force) {
  const auto levels = std::size_t{1} << result.index_bits;
  if (result.centroids.size() != levels || result.boundaries.size() != levels - 1)
    throw std::logic_error("a result holds 2^b centroids and 2^b - 1 boundaries");
  std::vector<Tensor> tensors;
  for_each_tensor(result,
                  [&tensors](const char* name, DataType type, Shape shape, const auto& values) {
                    tensors.push_back(view(name, type, std::move(shape), values));
                  });
  write_safetensors(path, tensors, metadata_of(result), force);
}

Result result_from(const Safetensors& file) {
  Result result = sized_from(file);
  std::size_t position = 0;
  for_each_tensor(result, [&](const char* name, DataType type, const Shape& shape, auto& values) {
    const Tensor& tensor = file.at(name, type, shape.size());
    const std::string where = file.origin() + ": tensor " + name + ": ";
    if (tensor.shape != shape)
      throw InputError(where + "shape is " + to_string(tensor.shape) +
                       "; beside the other tensors it must be " + to_string(shape));
    if (&tensor != &file.tensors()[position++])
      throw InputError(where + "it must be number " + std::to_string(position) +
                       " of the file's tensors");
    values = tensor.values<typename std::decay_t<decltype(values)>::value_type>();
  });
  if (position != file.tensors().size())
    throw InputError(file.origin() + ": tensor " + printable(file.tensors()[position].name) +
                     ": not part of a result; leave it out");

  const auto levels = std::size_t{1} << result.index_bits;
  result.score_scale = parse_decimal(file, "score_scale");
  result.kappa = parse_decimal(file, "kappa");
  result.centroids = parse_words(file, "centroids", levels);
  result.boundaries = parse_words(file, "boundaries", levels - 1);
  if (file.metadata().size() != metadata_of(result).size())
    throw InputError(
        file.origin() +
        ": a result's metadata are score_scale, kappa, centroids and boundaries alone");
  return result;
}

Result read_result(const std::string& path) { return result_from(Safetensors::read(path)); }

}  // namespace axelram::files
