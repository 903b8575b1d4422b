#include "pre_tokenizer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "regex.hpp"
#include "replaced.hpp"

namespace axelram::tokens {
namespace {

/// Radford et al., 2019, encoder.py
constexpr char kGpt2[] =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Bytes that a range of UTF-16 takes in UTF-8.
std::size_t utf8_size(const char16_t* text, std::int32_t begin, std::int32_t end) {
  std::size_t size = 0;
  for (std::int32_t i = begin; i < end; ++i) {
    const char16_t c = text[i];
    // Each half of a surrogate pair counts 2 of the 4 bytes.
    size += c < 0x80 ? 1 : c < 0x800 || U16_IS_SURROGATE(c) ? 2 : 3;
  }
  return size;
}

// Steps of a search, about a millisecond each: expressions such as (a+)+$ would not end.
constexpr std::int32_t kRegexSteps = 2000;

void check(UErrorCode status) {
  if (U_FAILURE(status))
    throw files::InputError(std::string("text: the tokenizer's regular expression fails on it (") +
                            u_errorName(status) + "); cut the text into shorter ones");
}

}  // namespace

PreTokenizer::PreTokenizer(const Field& field, bool byte_level) : byte_level_(byte_level) {
  if (!field.given() && !byte_level) return;
  if (!field.given()) field.reject("byte-level BPE needs ByteLevel, other BPE needs byte_fallback");
  if (field["type"].text() != "Sequence") {
    read_stage(field, true, true);
    return;
  }
  const Field stages = field["pretokenizers"];
  const std::size_t count = stages.size();
  if (count == 0 && byte_level) stages.fail("empty; a list that ends with ByteLevel was expected");
  for (std::size_t i = 0; i < count; ++i) read_stage(stages[i], i == 0, i + 1 == count);
}

void PreTokenizer::read_stage(const Field& field, bool first, bool last) {
  const std::string type = field["type"].text();
  if ((byte_level_ && last) != (type == "ByteLevel"))
    field["type"].reject("ByteLevel, and it alone, was expected at the end of a byte-level BPE's");
  if (type == "Split") {
    read_split(field);
  } else if (type == "Digits") {
    const bool single = field["individual_digits"].flag();
    splits_.push_back({compile("\\p{N}", false, field),
                       single ? Behavior::isolated : Behavior::contiguous, false});
  } else if (type == "Metaspace" && first && !byte_level_) {
    read_metaspace(field);
  } else if (type == "ByteLevel") {
    if (field["add_prefix_space"].flag(true)) prefix_ = Prefix::always;
    if (prefix_ != Prefix::never && !first)
      field["add_prefix_space"].reject("only false is supported after another stage");
    if (field["use_regex"].flag(true))
      splits_.push_back({compile(kGpt2, false, field), Behavior::isolated, false});
  } else {
    field["type"].reject(
        "only ByteLevel, Split, Digits and a Sequence of them are supported, and with "
        "byte_fallback a Metaspace that comes first");
  }
}

/// SentencePiece's way to write spaces, as the pre_tokenizer of a BPE of characters.
void PreTokenizer::read_metaspace(const Field& field) {
  static constexpr std::pair<const char*, Prefix> schemes[] = {
      {"never", Prefix::never}, {"first", Prefix::first}, {"always", Prefix::always}};
  const Field replacement = field["replacement"], scheme = field["prepend_scheme"];
  space_ = replacement.text();
  if (space_.empty() || files::utf8_length(space_, 0) != space_.size())
    replacement.reject("one character was expected");
  prefix_ = Prefix::always;
  if (scheme.given()) {
    const auto* const place =
        std::find_if(std::begin(schemes), std::end(schemes),
                     [name = scheme.text()](const auto& known) { return name == known.first; });
    if (place == std::end(schemes)) scheme.reject("never, first or always was expected");
    prefix_ = place->second;
  }
  // Files older than prepend_scheme have this flag, some both.
  const Field older = field["add_prefix_space"];
  if (!older.flag(true) && prefix_ != Prefix::never)
    older.reject("with it prepend_scheme must be \"never\"");
  if (field["split"].flag(true))
    splits_.push_back({compile(space_, true, replacement), Behavior::merged_with_next, false});
}

void PreTokenizer::read_split(const Field& field) {
  const Field pattern = field["pattern"];
  const Field regex = pattern["Regex"];
  const Field literal = pattern["String"];
  if (regex.given() == literal.given()) pattern.reject("one of Regex and String was expected");
  const Field& text = regex.given() ? regex : literal;
  splits_.push_back({compile(text.text(), literal.given(), text), behavior_of(field["behavior"]),
                     field["invert"].flag(false)});
}

PreTokenizer::Behavior PreTokenizer::behavior_of(const Field& field) {
  static constexpr std::pair<const char*, Behavior> names[] = {
      {"Isolated", Behavior::isolated},
      {"Removed", Behavior::removed},
      {"MergedWithPrevious", Behavior::merged_with_previous},
      {"MergedWithNext", Behavior::merged_with_next},
      {"Contiguous", Behavior::contiguous}};
  const std::string name = field.text();
  for (const auto& [known, behavior] : names)
    if (name == known) return behavior;
  field.reject("Isolated, Removed, MergedWithPrevious, MergedWithNext or Contiguous was expected");
}

std::vector<PreTokenizer::Range> PreTokenizer::merged(const std::vector<Range>& ranges,
                                                      Behavior behavior) {
  std::vector<Range> result;
  const auto join = [&](const Range& r, bool with_last) {
    if (with_last && !result.empty()) {
      result.back().begin = std::min(result.back().begin, r.begin);
      result.back().end = std::max(result.back().end, r.end);
    } else {
      result.push_back(r);
    }
  };
  bool previous = false;  // whether the range before was a match
  if (behavior == Behavior::merged_with_next) {
    for (auto r = ranges.rbegin(); r != ranges.rend(); ++r) {
      join(*r, r->match && !previous);
      previous = r->match;
    }
    std::reverse(result.begin(), result.end());
    return result;
  }
  for (const Range& r : ranges) {
    const bool with_last =
        behavior == Behavior::contiguous ? r.match == previous : r.match && !previous;
    join(r, with_last);
    previous = r.match;
  }
  return result;
}

void PreTokenizer::apply(const Split& split, icu::RegexMatcher& matcher, const char16_t* text,
                         Range piece, std::vector<Range>& result) {
  // The pattern sees the piece alone: neither \s+(?!\S) nor ^ look beyond it.
  const icu::UnicodeString view(false, text + piece.begin, piece.end - piece.begin);
  matcher.reset(view);
  UErrorCode status = U_ZERO_ERROR;
  std::vector<Range> ranges;
  std::int32_t at = piece.begin;
  while (matcher.find(status)) {
    const std::int32_t begin = piece.begin + matcher.start(status);
    const std::int32_t end = piece.begin + matcher.end(status);
    if (begin != at) ranges.push_back({at, begin, split.invert});
    ranges.push_back({begin, end, !split.invert});
    at = end;
  }
  check(status);
  if (at != piece.end) ranges.push_back({at, piece.end, split.invert});
  if (split.behavior != Behavior::isolated && split.behavior != Behavior::removed)
    ranges = merged(ranges, split.behavior);
  for (const Range& r : ranges)
    if (r.begin != r.end && !(r.match && split.behavior == Behavior::removed)) result.push_back(r);
}

std::string PreTokenizer::with_spaces(const std::string& piece) const {
  return space_ == " " ? piece : replaced(piece, space_, " ");
}

void PreTokenizer::cut(std::string_view text, bool first,
                       const std::function<void(std::string_view)>& use) const {
  std::string marked, prefixed;
  if (space_ != " ") text = marked = replaced(text, " ", space_);
  const bool may_prefix = prefix_ == Prefix::always || (prefix_ == Prefix::first && first);
  if (may_prefix && text.substr(0, space_.size()) != space_)
    text = prefixed.append(space_).append(text);
  if (splits_.empty()) return use(text);
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw files::InputError("text: 2 GiB or more without an added token; cut it into shorter ones");
  const auto wide = icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
  const char16_t* units = wide.getBuffer();

  std::vector<Range> pieces = {{0, wide.length(), false}};
  for (const Split& split : splits_) {
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<icu::RegexMatcher> matcher(split.pattern->matcher(status));
    matcher->setTimeLimit(kRegexSteps, status);
    check(status);
    std::vector<Range> cut;
    for (const Range& piece : pieces) apply(split, *matcher, units, piece, cut);
    pieces = std::move(cut);
  }

  std::int32_t unit = 0;
  std::size_t byte = 0;
  for (const Range& piece : pieces) {
    byte += utf8_size(units, unit, piece.begin);
    const std::size_t size = utf8_size(units, piece.begin, piece.end);
    use(text.substr(byte, size));
    byte += size;
    unit = piece.end;
  }
}

}  // namespace axelram::tokens
