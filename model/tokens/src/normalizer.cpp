#include "normalizer.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>

#include <limits>

#include "axelram/files/errors.hpp"
#include "replaced.hpp"

namespace axelram::tokens {
namespace {

constexpr std::size_t kMaxNormalized = std::numeric_limits<std::int32_t>::max() / 4;

/// Longer ones would only let a file multiply the size of a text.
constexpr std::size_t kMaxMark = 16;

/// Unicode's normal form C (Unicode Standard Annex 15).
std::string nfc(std::string_view text) {
  if (text.size() > kMaxNormalized)
    throw files::InputError("text: " + std::to_string(text.size()) +
                            " bytes without an added token are too long to normalize; cut it");
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = icu::Normalizer2::getNFCInstance(status);
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  if (U_SUCCESS(status))
    normalizer->normalizeUTF8(0,
                              icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())),
                              sink, nullptr, status);
  if (U_FAILURE(status))
    throw files::EnvironmentError(std::string("ICU cannot normalize (") + u_errorName(status) +
                                  "); is its data installed?");
  return result;
}

std::string mark_of(const Field& field) {
  std::string mark = field.text();
  if (mark.empty() || mark.size() > kMaxMark || mark.find(' ') != std::string::npos)
    field.reject("a text of 1 to 16 bytes without spaces was expected");
  return mark;
}

}  // namespace

Normalizer::Normalizer(const Field& field) {
  if (field.given()) read(field);
}

void Normalizer::read(const Field& field) {
  const std::string type = field["type"].text();
  if (type == "NFC") {
    steps_.push_back({Kind::nfc, ""});
  } else if (type == "Prepend") {
    steps_.push_back({Kind::prepend, mark_of(field["prepend"])});
  } else if (type == "Replace") {
    const Field pattern = field["pattern"]["String"];
    if (pattern.text() != " ") pattern.reject("only \" \" is supported");
    steps_.push_back({Kind::replace_spaces, mark_of(field["content"])});
  } else if (type == "Sequence") {
    const Field parts = field["normalizers"];
    for (std::size_t i = 0; i < parts.size(); ++i) read(parts[i]);
  } else {
    field["type"].reject("only null, NFC, Prepend, Replace and a Sequence are supported");
  }
}

std::string Normalizer::operator()(std::string_view text) const {
  std::string result(text);
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Kind::nfc:
        result = nfc(result);
        break;
      case Kind::prepend:
        result = step.text + result;
        break;
      case Kind::replace_spaces:
        result = replaced(result, " ", step.text);
        break;
    }
  }
  return result;
}

std::string Normalizer::with_spaces(std::string piece) const {
  for (const Step& step : steps_)
    if (step.kind == Kind::replace_spaces) piece = replaced(piece, step.text, " ");
  return piece;
}

}  // namespace axelram::tokens
