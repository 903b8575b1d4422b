#include "axelram/files/result.hpp"

#include <algorithm>
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

std::size_t levels_of(const Result& result) {
  return std::size_t{result.trellis ? 2U : 1U} << result.index_bits;
}

/// Sizes of the first tensors, which the others must match.
Result sized_from(const Safetensors& file) {
  const Tensor& indices = file.at("indices", DataType::u8, 2);
  Result result;
  result.trellis = file.find("levels") != nullptr;
  const Tensor& thresholds =
      file.at(result.trellis ? "reconstructions" : "thresholds", DataType::i32, 2);
  result.tokens = indices.shape[0];
  result.queries = file.at("rotated_queries", DataType::i32, 2).shape[0];
  Parameters p;
  for (p.head_dim = 256; p.head_dim > 32; p.head_dim /= 2)
    if (indices.shape[1] == static_cast<std::uint64_t>(p.head_dim)) break;
  if (result.trellis) p.kind = QuantizerKind::trellis;
  for (p.index_bits = 4; p.index_bits > 2; --p.index_bits)
    if (thresholds.shape[1] ==
        static_cast<std::uint64_t>(result.trellis ? p.levels() : p.boundaries()))
      break;
  result.head_dim = p.head_dim;
  result.index_bits = p.index_bits;
  result.unbiased = file.find("correlations") != nullptr;
  result.has_copies = file.find("exact") != nullptr;
  if (result.has_copies) result.copies = file.at("exact_exponents", DataType::i32, 1).shape[0];
  if (file.find("codewords")) {
    result.codeword_bytes = file.at("codewords", DataType::u8, 2).shape[1];
    if (result.codeword_bytes == 0)
      throw InputError(file.origin() + ": tensor codewords: no bytes in a row; leave it out");
  }
  return result;
}

std::size_t tokens_with_copies(const Result& result) {
  return static_cast<std::size_t>(std::count(result.exact.begin(), result.exact.end(), 1));
}

void check_copies(const Result& result, const std::string& origin) {
  for (std::size_t t = 0; t < result.exact.size(); ++t)
    if (result.exact[t] > 1)
      throw InputError(origin + ": tensor exact, row " + std::to_string(t) + ": " +
                       std::to_string(result.exact[t]) + "; it must be 0 or 1");
  if (const std::size_t ones = tokens_with_copies(result); ones != result.copies)
    throw InputError(origin + ": tensor exact_keys: " + std::to_string(result.copies) +
                     " copies; tensor exact has " + std::to_string(ones) +
                     " ones, and each stands for one copy");
}

}  // namespace

Metadata metadata_of(const Result& result) {
  const bool trellis = result.trellis;
  return {{"score_scale", decimal(result.score_scale)},
          {"kappa", decimal(result.kappa)},
          {"centroids", comma_separated(result.centroids)},
          {trellis ? "reconstruction_words" : "boundaries",
           comma_separated(trellis ? result.reconstruction_words : result.boundaries)}};
}

void write_result(const std::string& path, const Result& result, bool force) {
  const auto levels = levels_of(result);
  if (result.centroids.size() != levels ||
      (result.trellis ? result.reconstruction_words.size() != levels
                      : result.boundaries.size() != levels - 1))
    throw std::logic_error("a result holds a centroid for each level, and its other words");
  if (tokens_with_copies(result) != result.copies)
    throw std::logic_error("a result holds one copy for each 1 of `exact`");
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
  check_copies(result, file.origin());

  const auto levels = levels_of(result);
  result.score_scale = parse_decimal(file, "score_scale");
  result.kappa = parse_decimal(file, "kappa");
  result.centroids = parse_words(file, "centroids", levels);
  if (result.trellis)
    result.reconstruction_words = parse_words(file, "reconstruction_words", levels);
  else
    result.boundaries = parse_words(file, "boundaries", levels - 1);
  if (file.metadata().size() != metadata_of(result).size())
    throw InputError(
        file.origin() +
        ": a result's metadata are score_scale, kappa, centroids and boundaries alone");
  return result;
}

Result read_result(const std::string& path) { return result_from(Safetensors::read(path)); }

}  // namespace axelram::files
