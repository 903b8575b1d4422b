#include "metadata.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "axelram/files/messages.hpp"

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

/// A whole number, as it would be written.
template <class T>
T whole_number(const Safetensors& file, const char* key, const char* what) {
  const std::string& text = file.metadata_at(key);
  T value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  if (std::to_string(value) != text)
    throw InputError(file.origin() + ": metadata " + key + " is " + in_quotes(text) +
                     "; it must be a whole number" + what);
  return value;
}

/// Words of all vectors of a key; of a split with a semicolon between the two.
std::string words_of(const Result& result, const std::vector<std::int32_t>& words,
                     std::size_t first_count) {
  if (!result.split()) return comma_separated(words);
  const auto middle = words.begin() + static_cast<std::ptrdiff_t>(first_count);
  return comma_separated({words.begin(), middle}) + ';' + comma_separated({middle, words.end()});
}

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

}  // namespace

Metadata metadata_of(const Result& result) {
  const std::size_t first = result.levels_of(0);
  Metadata metadata{
      {"score_scale", decimal(result.score_scale)},
      {"kappa", decimal(result.kappa) + (result.split() ? ';' + decimal(result.second_kappa) : "")},
      {"centroids", words_of(result, result.centroids, first)}};
  if (!result.trellis()) metadata["boundaries"] = words_of(result, result.boundaries, first - 1);
  if (result.trellis() || result.prod())
    metadata["reconstruction_words"] = words_of(result, result.reconstruction_words, first);
  if (result.prod()) metadata["residual_scale"] = std::to_string(result.residual_scale);
  if (result.attends()) {
    metadata["softmax_scale"] = text_of(result.softmax_scale);
    metadata["value_scale"] = text_of(result.value_scale);
    metadata["weight_bits"] = std::to_string(result.weight_bits);
  }
  return metadata;
}

void read_metadata(const Safetensors& file, Result* to) {
  Result& result = *to;
  const std::size_t parts = result.parts();
  const auto levels = [&result](std::size_t j) { return result.levels_of(j); };
  const auto boundaries = [&result](std::size_t j) { return result.levels_of(j) - 1; };
  result.score_scale = Texts(file, "score_scale", 1).number(0);
  const Texts kappas(file, "kappa", parts);
  result.kappa = kappas.number(0);
  if (result.split()) result.second_kappa = kappas.number(1);
  result.centroids = Texts(file, "centroids", parts).words(levels);
  if (!result.trellis()) result.boundaries = Texts(file, "boundaries", parts).words(boundaries);
  if (result.trellis() || result.prod())
    result.reconstruction_words = Texts(file, "reconstruction_words", parts).words(levels);
  if (result.prod())
    result.residual_scale = whole_number<std::uint32_t>(file, "residual_scale", " below 2^32");
  if (result.attends()) {
    result.softmax_scale = scale_in(file, "softmax_scale");
    result.value_scale = scale_in(file, "value_scale");
    result.weight_bits = whole_number<int>(file, "weight_bits", "");
  }
  if (const Metadata known = metadata_of(result); file.metadata().size() != known.size()) {
    std::string names;
    for (const auto& [key, value] : known) names += (names.empty() ? "" : ", ") + key;
    throw InputError(file.origin() + ": the metadata of this result are " + names + " alone");
  }
}

}  // namespace axelram::files
