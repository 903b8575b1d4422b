#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace axelram::checkpoints {

// Words of the tables of keys. A, B: names of other keys; A.B: of B in the object A.

/// The value of a key that a file leaves out, or that is null:
///   rejected            it must be given
///   4096, "silu"       this value, as JSON; null: the key says nothing
///   =A, =A / B, =A * 4 that of other keys
///   =A or 4096         that of A, or this value if A is not given
///   =A or B            that of A, or of B if A is not given
///   =A in B or C       that of A in the object B, or in C if B is not given or empty
using Meaning = std::string_view;
inline constexpr Meaning kRejected = "rejected";

/// Values of a key that change nothing. All others are rejected:
///   [0, 1]             one of these, as JSON
///   =A, =A / B         that of other keys
///   >=A                0, or A and more
///   1/sqrt A           to six digits; 0 too
///   sliding 5 of 6     6, or a flag for each layer, false for each sixth
///   empty for each of A  null, or empty objects by the numbers of layers, of which A is the count
///   -1, 1 if yarn else 0  as rope.scaling.type says
///   *                  any: the models do not depend on it
/// Empty: the key is read, whatever its value.
using Held = std::string_view;

/// The value of another key; null if it says nothing.
using Lookup = std::function<nlohmann::json(const std::string& key)>;

/// Nothing if it is rejected, or if no other key gives it; null if it says nothing, or if other
/// keys do not make it a number.
std::optional<nlohmann::json> value_of(Meaning meaning, const Lookup& look);

bool holds(Held held, const nlohmann::json& value, const Lookup& look);
/// "supported is 0", "supported are 0 or 1".
std::string supported(Held held, const Lookup& look);

/// Whether `name` is one of `names`, which have spaces between them.
bool is_one_of(std::string_view names, std::string_view name);

/// A cell of a Markdown table.
std::string meaning_cell(Meaning meaning);
std::string held_cell(Held held);

}  // namespace axelram::checkpoints
