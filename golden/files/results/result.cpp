#include "axelram/files/result.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "axelram/files/messages.hpp"
#include "axelram/parameters.hpp"
#include "tensors.hpp"

namespace axelram::files {
namespace {

/// The parameters that sizes follow from.
Parameters parameters_of(const Result& result) {
  Parameters p;
  p.head_dim = result.head_dim;
  p.index_bits = result.index_bits;
  if (result.trellis) p.kind = QuantizerKind::trellis;
  if (result.prod) p.kind = QuantizerKind::prod;
  p.split_high = result.split_high;
  p.split_low = result.split_low;
  return p;
}

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
double parse_decimal(const std::string& text, const std::string& where) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || !std::isfinite(value) || decimal(value) != text)
    throw InputError(where + in_quotes(text) +
                     "; it must be a decimal number of 17 significant digits");
  return value;
}

std::vector<std::int32_t> parse_words(const std::string& text, const std::string& where,
                                      std::size_t count) {
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
    throw InputError(where + in_quotes(text) + "; it must be " + std::to_string(count) +
                     " integers with commas between");
  return words;
}

/// Metadata of a file by key, one text for each vector of a key (sub-vector 0 first).
class Texts {
 public:
  Texts(const Safetensors& file, const char* key, std::size_t parts)
      : where_(file.origin() + ": metadata " + key + " is ") {
    const std::string& text = file.metadata_at(key);
    const std::size_t middle = text.find(';');
    if ((middle != std::string::npos) != (parts == 2))
      throw InputError(where_ + in_quotes(text) +
                       (parts == 2 ? "; a split has two parts with a semicolon between"
                                   : "; there is no split, so that it has one part"));
    texts_ = {text.substr(0, middle)};
    if (parts == 2) texts_.push_back(text.substr(middle + 1));
  }

  double number(std::size_t j) const { return parse_decimal(texts_[j], where_); }

  /// count(j): words of part j.
  template <class Count>
  std::vector<std::int32_t> words(const Count& count) const {
    std::vector<std::int32_t> all;
    for (std::size_t j = 0; j < texts_.size(); ++j) {
      const std::vector<std::int32_t> part = parse_words(texts_[j], where_, count(j));
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

 private:
  std::string where_;
  std::vector<std::string> texts_;
};

std::uint32_t parse_residual_scale(const Safetensors& file) {
  const std::string& text = file.metadata_at("residual_scale");
  std::uint32_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || std::to_string(value) != text)
    throw InputError(file.origin() + ": metadata residual_scale is " + in_quotes(text) +
                     "; it must be a whole number below 2^32");
  return value;
}

/// Words of all vectors of a key; of a split with a semicolon between the two.
std::string words_of(const Result& result, const std::vector<std::int32_t>& words,
                     std::size_t first_count) {
  if (!result.split()) return comma_separated(words);
  const auto middle = words.begin() + static_cast<std::ptrdiff_t>(first_count);
  return comma_separated({words.begin(), middle}) + ';' + comma_separated({middle, words.end()});
}

/// Sets index_bits, or the bits of a split, for which `count` gives `words`. The least bits, if
/// there are none; the shape is then reported as wrong.
template <class Count>
void set_bits(Result* result, bool split, std::uint64_t words, const Count& count) {
  if (!split) {
    for (result->index_bits = 4; result->index_bits > 2; --result->index_bits)
      if (words == count()) return;
    return;
  }
  for (result->split_high = 4; result->split_high > 1; --result->split_high)
    for (result->split_low = result->split_high; result->split_low > 0; --result->split_low)
      if (words == count()) return;
  result->split_low = 1;
}

/// Sizes of the first tensors, which the others must match.
Result sized_from(const Safetensors& file) {
  const Tensor& indices = file.at("indices", DataType::u8, 2);
  Result result;
  result.trellis = file.find("levels") != nullptr;
  result.prod = file.find("residual_signs") != nullptr;
  const Tensor* const norms = file.find("norms");
  const bool split = norms != nullptr && norms->shape.size() == 2;
  result.tokens = indices.shape[0];
  result.queries = file.at("rotated_queries", DataType::i32, 2).shape[0];
  for (result.head_dim = 256; result.head_dim > 32; result.head_dim /= 2)
    if (indices.shape[1] == static_cast<std::uint64_t>(result.head_dim)) break;
  const char* const words = result.trellis ? "reconstructions" : "thresholds";
  set_bits(&result, split, file.at(words, DataType::i32, 2).shape[1],
           [&] { return result.trellis ? result.level_count() : result.boundary_count(); });
  result.unbiased = file.find("correlations") != nullptr;
  result.has_copies = file.find("exact") != nullptr;
  if (result.has_copies) result.copies = file.at("exact_exponents", DataType::i32, 1).shape[0];
  if (file.find("codewords")) {
    result.codeword_bytes = file.at("codewords", DataType::u8, 2).shape[1];
    if (result.codeword_bytes == 0)
      throw InputError(file.origin() + ": tensor codewords: no bytes in a row; leave it out");
  }
  result.attention = attention_in(file);
  if (result.attention && (result.prod || result.split()))
    throw InputError(file.origin() +
                     ": tensor value_indices: attention needs keys of one part; leave it out");
  if (result.attention && result.attention->refused)
    result.command_count = file.at("refused", DataType::u8, 1).shape[0];
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

std::size_t Result::levels_of(std::size_t j) const {
  const Parameters p = parameters_of(*this);
  return static_cast<std::size_t>((split() ? p.part(static_cast<int>(j)) : p).levels());
}

std::size_t Result::level_count() const { return levels_of(0) + (split() ? levels_of(1) : 0); }

std::size_t Result::boundary_count() const { return trellis ? 0 : level_count() - parts(); }

std::size_t Result::record_bytes() const {
  return static_cast<std::size_t>(parameters_of(*this).record_bytes());
}

Metadata metadata_of(const Result& result) {
  const std::size_t first = result.levels_of(0);
  Metadata metadata{
      {"score_scale", decimal(result.score_scale)},
      {"kappa", decimal(result.kappa) + (result.split() ? ';' + decimal(result.second_kappa) : "")},
      {"centroids", words_of(result, result.centroids, first)}};
  if (!result.trellis) metadata["boundaries"] = words_of(result, result.boundaries, first - 1);
  if (result.trellis || result.prod)
    metadata["reconstruction_words"] = words_of(result, result.reconstruction_words, first);
  if (result.prod) metadata["residual_scale"] = std::to_string(result.residual_scale);
  if (result.attention) add_attention_metadata(*result.attention, &metadata);
  return metadata;
}

void size_tensors(Result* result) {
  for_each_tensor(*result, [](const char*, DataType, const Shape& shape, auto& values) {
    std::uint64_t count = 1;
    for (const std::uint64_t extent : shape) count *= extent;
    values.resize(count);
  });
}

std::size_t value_count(const Result& result) {
  std::size_t count = 0;
  for_each_tensor(result, [&](const char*, DataType, const Shape&, const auto& values) {
    count += values.size();
  });
  return count;
}

void write_result(const std::string& path, const Result& result, bool force) {
  const std::size_t levels = result.level_count();
  if (result.centroids.size() != levels || result.boundaries.size() != result.boundary_count() ||
      result.reconstruction_words.size() != (result.trellis || result.prod ? levels : 0))
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

  const std::size_t parts = result.parts();
  const auto levels = [&result](std::size_t j) { return result.levels_of(j); };
  const auto boundaries = [&result](std::size_t j) { return result.levels_of(j) - 1; };
  result.score_scale = Texts(file, "score_scale", 1).number(0);
  const Texts kappas(file, "kappa", parts);
  result.kappa = kappas.number(0);
  if (result.split()) result.second_kappa = kappas.number(1);
  result.centroids = Texts(file, "centroids", parts).words(levels);
  if (!result.trellis) result.boundaries = Texts(file, "boundaries", parts).words(boundaries);
  if (result.trellis || result.prod)
    result.reconstruction_words = Texts(file, "reconstruction_words", parts).words(levels);
  if (result.prod) result.residual_scale = parse_residual_scale(file);
  if (const Metadata known = metadata_of(result); file.metadata().size() != known.size()) {
    std::string names;
    for (const auto& [key, value] : known) names += (names.empty() ? "" : ", ") + key;
    throw InputError(file.origin() + ": the metadata of this result are " + names + " alone");
  }
  return result;
}

Result read_result(const std::string& path) { return result_from(Safetensors::read(path)); }

}  // namespace axelram::files
