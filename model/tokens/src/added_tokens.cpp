#include "added_tokens.hpp"

#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <utility>

namespace axelram::tokens {
namespace {

/// Unicode Technical Standard 18, annex C, \w.
bool is_word(UChar32 c) {
  constexpr std::uint32_t kinds = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return u_hasBinaryProperty(c, UCHAR_ALPHABETIC) || (U_GET_GC_MASK(c) & kinds) != 0 ||
         u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL);
}

/// The first character of a text that is not empty, or U+FFFD if it is no UTF-8.
UChar32 first_of(std::string_view text) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(text.substr(0, U8_MAX_LENGTH))).char32At(0);
}

/// The last character of a text that is not empty; `start` becomes its offset.
UChar32 last_of(std::string_view text, std::size_t& start) {
  start = text.size() - 1;
  while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
  return first_of(text.substr(start));
}

bool stands_alone(std::string_view before, std::string_view behind) {
  std::size_t start = 0;
  return (before.empty() || !is_word(last_of(before, start))) &&
         (behind.empty() || !is_word(first_of(behind)));
}

std::size_t without_spaces_at_end(std::string_view text) {
  std::size_t start = 0;
  while (!text.empty() && u_isUWhiteSpace(last_of(text, start))) text = text.substr(0, start);
  return text.size();
}

std::size_t spaces_at_front(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const UChar32 c = first_of(text.substr(end));
    if (!u_isUWhiteSpace(c)) break;
    end += U8_LENGTH(c);
  }
  return end;
}

std::uint64_t edge(std::uint32_t node, char c) {
  return std::uint64_t{node} << 8 | static_cast<unsigned char>(c);
}

}  // namespace

void AddedTokens::add(AddedToken token) {
  std::uint32_t node = 0;
  for (const char c : token.content) {
    const auto [place, fresh] =
        next_.emplace(edge(node, c), static_cast<std::uint32_t>(ends_.size()));
    if (fresh) ends_.push_back(-1);
    node = place->second;
  }
  begins_[static_cast<unsigned char>(token.content.front())] = true;
  // Normalization can make tokens equal; the first of them is taken.
  if (ends_[node] < 0) ends_[node] = static_cast<std::int32_t>(tokens_.size());
  tokens_.push_back(std::move(token));
}

const AddedToken* AddedTokens::at(std::string_view rest) const {
  if (!begins_[static_cast<unsigned char>(rest.front())]) return nullptr;
  const AddedToken* longest = nullptr;
  std::uint32_t node = 0;
  for (const char c : rest) {
    const auto place = next_.find(edge(node, c));
    if (place == next_.end()) break;
    node = place->second;
    if (ends_[node] >= 0) longest = &tokens_[static_cast<std::size_t>(ends_[node])];
  }
  return longest;
}

void AddedTokens::split(std::string_view text, const std::function<void(std::string_view)>& between,
                        const std::function<void(std::int32_t)>& found) const {
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size();) {
    const AddedToken* token = at(text.substr(i));
    if (token == nullptr) {
      ++i;
      continue;
    }
    std::size_t begin = i, end = i + token->content.size();
    i = end;
    if (token->single_word && !stands_alone(text.substr(0, begin), text.substr(end))) continue;
    if (token->lstrip)
      begin = std::max(without_spaces_at_end(text.substr(0, begin)), std::min(done, begin));
    if (token->rstrip) end += spaces_at_front(text.substr(end));
    if (done < begin) between(text.substr(done, begin - done));
    found(token->id);
    done = end;
  }
  if (done < text.size()) between(text.substr(done));
}

}  // namespace axelram::tokens
