#pragma once

#include <charconv>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "axelram/caches/kinds.hpp"
#include "axelram/caches/shape.hpp"
#include "axelram/caches/specification.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/names.hpp"
#include "axelram/transformer/kv_cache.hpp"
#include "axelram/unit_table.hpp"

namespace axelram::caches {

/// One key of a specification and the member of `Row` that it sets.
template <class Row>
struct Parameter {
  CacheParameter text;
  /// Sets the member, or returns what is wrong: the end of the message "KEY is 'VALUE'...".
  std::function<std::optional<std::string>(const std::string& value, Row* row)> read;
  std::function<std::string(const Row& row)> write;  ///< "" if the member has its default
  /// Returns the end of the message "KEY is 'VALUE', but ...": what is missing, and what would
  /// help. Returns "" if the key has an effect; elsewhere only its default is accepted. Null: it
  /// always has.
  std::function<std::string(const Row& row)> missing = {};
  /// Which rows read it: in a specification of the others only its default is accepted. Nothing:
  /// both.
  std::optional<TierPart> part = {};
};

/// `parameter`, which has an effect on the keys alone, or on the values.
template <class Row>
Parameter<Row> with_part(Parameter<Row> parameter, TierPart part) {
  parameter.part = part;
  return parameter;
}

/// `parameter`, which has an effect only where `needed` holds of a Row.
template <class Row, class Needed>
Parameter<Row> with_need(Parameter<Row> parameter, Needed needed, const std::string& missing) {
  parameter.missing = [=](const Row& row) { return needed(row) ? "" : missing; };
  return parameter;
}

using SharedCache = std::shared_ptr<const transformer::KvCache>;

template <class Row>
struct Kind {
  std::string help;
  std::vector<Parameter<Row>> parameters;
  SharedCache (*make)(const Row& row, const Shape& shape, const UnitTable& units);
  /// Seeds all that is random; false if nothing is.
  bool (*reseed)(Row* row, std::uint64_t seed);
  /// Keys that the cache does not have yet, or never, and why: the end of a message.
  std::vector<std::pair<std::string, std::string>> rejected = {};
};

/// "known are a or b; did you mean 'a'?"
inline std::string known_names(std::string_view given, const std::vector<std::string>& known) {
  const std::string meant = files::nearest(given, known);
  return "known are " + files::any_of(known) +
         (meant.empty() ? "" : "; did you mean '" + meant + "'?");
}

inline std::string text_of(const std::string& value) { return value; }
inline std::string text_of(double value) {
  char shortest[32];
  return {shortest, std::to_chars(shortest, shortest + sizeof shortest, value).ptr};
}
template <std::integral T>
std::string text_of(T value) {
  return std::to_string(value);
}
template <class T>
requires std::is_enum_v<T> std::string text_of(T value) { return name_of(value); }
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "";
}

/// `member` returns a reference to the member of a Row.
template <class Row, class Member>
auto writer(Member member) {
  return [member](const Row& row) {
    const Row fallback;
    return member(row) == member(fallback) ? "" : text_of(member(row));
  };
}

/// A number from low to high; `right` completes the message "it must be ...".
template <class Row, class T, class Member>
Parameter<Row> number_key(CacheParameter text, Member member, T low, T high,
                          const std::string& right) {
  return {std::move(text),
          [=](const std::string& value, Row* row) -> std::optional<std::string> {
            T parsed{};
            const char* const end = value.data() + value.size();
            const auto [last, error] = std::from_chars(value.data(), end, parsed);
            if (error != std::errc() || last != end || !(parsed >= low && parsed <= high))
              return "; it must be " + right;
            member(*row) = parsed;
            return std::nullopt;
          },
          writer<Row>(member)};
}

template <class Row, class Member>
Parameter<Row> seed_key(CacheParameter text, Member member) {
  return number_key<Row, std::uint64_t>(std::move(text), member, 0, ~std::uint64_t{0},
                                        "a whole number from 0 to 2^64 - 1");
}

/// A value of an enum with EnumNames.
template <class Row, class T, class Member>
Parameter<Row> choice_key(const std::string& key, const std::string& help, Member member) {
  std::string choices;
  for (const std::string& name : names_of<T>()) choices += (choices.empty() ? "" : "|") + name;
  return {{key, choices, text_of(member(static_cast<const Row&>(Row()))), help},
          [=](const std::string& value, Row* row) -> std::optional<std::string> {
            const std::optional<T> named = value_named<T>(value);
            if (!named) return "; " + known_names(value, names_of<T>());
            member(*row) = *named;
            return std::nullopt;
          },
          writer<Row>(member)};
}

/// A string that `wrong` accepts by returning nothing.
template <class Row, class Member, class Wrong>
Parameter<Row> text_key(CacheParameter text, Member member, Wrong wrong) {
  return {std::move(text),
          [=](const std::string& value, Row* row) -> std::optional<std::string> {
            if (std::optional<std::string> what = wrong(value)) return what;
            member(*row) = value;
            return std::nullopt;
          },
          writer<Row>(member)};
}

/// The path of a file, or none.
template <class Row, class Member>
Parameter<Row> file_key(const std::string& key, const std::string& help, Member member) {
  return text_key<Row>({key, "FILE", "none", help}, member,
                       [](const std::string&) { return std::optional<std::string>(); });
}

template <class Row>
Parameter<Row> centers_key() {
  return with_part(file_key<Row>(
                       "centers",
                       "centers of blocks of positions, which keys lose before they are stored, by "
                       "the file that 'axelram calibrate --centers' writes",
                       [](auto& row) -> auto& { return row.centers; }),
                   TierPart::keys);
}

/// `member` returns a reference to the name of a file of exponents.
template <class Row, class Member>
Parameter<Row> balance_key(Member member) {
  return with_part(file_key<Row>("balance",
                                 "exponents of keys and queries, which move energy between "
                                 "channels before the rotation, by the file that 'axelram "
                                 "calibrate --balance' writes",
                                 member),
                   TierPart::keys);
}

/// The keys ber and fault_seed of a Row with `faults`.
template <class Row>
std::vector<Parameter<Row>> fault_parameters() {
  return {
      number_key<Row, double>(
          {"ber", "P", "0", "probability that a stored bit flips"},
          [](auto& row) -> auto& { return row.faults.ber; }, 0.0, 1.0, "a probability from 0 to 1"),
      with_need<Row>(
          seed_key<Row>(
              {"fault_seed", "N", "0", "seed of the bit errors"},
              [](auto& row) -> auto& { return row.faults.seed; }),
          [](const Row& row) { return row.faults.ber != 0; }, "no bit flips; give a ber above 0")};
}

/// The keys of a Row with `part`.
template <class Row>
std::vector<Parameter<Row>> part_parameters() {
  constexpr int kMost = 1 << 20;
  const std::string number = "a whole number";
  return {number_key<Row, int>(
              {"layer", "N", "all", "only this layer, FP16 in the others"},
              [](auto& row) -> auto& { return row.part.layer; }, 0, kMost, number),
          number_key<Row, int>(
              {"head", "N", "all", "only this KV head, FP16 in the others"},
              [](auto& row) -> auto& { return row.part.head; }, 0, kMost, number),
          number_key<Row, int>(
              {"exact_tokens", "N", "0", "first tokens of each window that are FP16"},
              [](auto& row) -> auto& { return row.part.exact_tokens; }, 0, kMost, number),
          number_key<Row, int>(
              {"exact_newest", "N", "0", "newest tokens of each query that are FP16"},
              [](auto& row) -> auto& { return row.part.exact_newest; }, 0, kMost, number),
          with_part(
              number_key<Row, int>(
                  {"exact_channels", "N", "0",
                   "channels of the keys of each head that are FP16: the largest over each window"},
                  [](auto& row) -> auto& { return row.part.exact_channels; }, 0, kMost, number),
              TierPart::keys)};
}

/// Keys of a cache, followed by those of its faults and of its part.
template <class Row>
std::vector<Parameter<Row>> with_common(std::vector<Parameter<Row>> parameters) {
  for (Parameter<Row>& one : fault_parameters<Row>()) parameters.push_back(std::move(one));
  for (Parameter<Row>& one : part_parameters<Row>()) parameters.push_back(std::move(one));
  return parameters;
}

/// Calls function(row) with a default row of each kind, in the order of RowSpecification.
template <class Function, std::size_t index = 0>
void for_each_kind(const Function& function) {
  if constexpr (index < std::variant_size_v<RowSpecification>) {
    function(std::variant_alternative_t<index, RowSpecification>());
    for_each_kind<Function, index + 1>(function);
  }
}

/// Complains of bit errors in a cache that has none.
[[noreturn]] void reject_faults(std::string_view cache);

/// Seeds nothing, for a cache without random numbers; always false.
template <class Row>
bool nothing_to_seed(Row*, std::uint64_t) {
  return false;
}

/// Seeds the bit errors; false if there are none.
inline bool reseed_faults(Faults* faults, std::uint64_t seed) {
  if (faults->ber == 0) return false;
  faults->seed = seed;
  return true;
}

}  // namespace axelram::caches
