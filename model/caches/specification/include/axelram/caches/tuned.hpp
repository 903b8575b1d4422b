#pragma once

#include <span>
#include <string>

#include "axelram/caches/specification.hpp"

namespace axelram::caches {

/// Names in a folder that `axelram tune` writes: the specification of its cache, in one line, whose
/// files are relative to the folder; and its record, a JSON object with kTunedKey and with the
/// `name` and the `digest` of the `model`.
inline constexpr char kTunedCache[] = "cache", kTunedRecipe[] = "recipe.json";
inline constexpr char kTunedKey[] = "axelram_tune";

/// The first word of `tuned:DIR`.
inline constexpr char kTuned[] = "tuned";

/// The specification that `tuned:DIR` stands for, with the paths of its files. text: all of
/// `tuned:DIR`. Throws files::InputError: no folder, no folder of `axelram tune`, a record or a
/// specification that is damaged.
Specification tuned_specification(const std::string& text, NamedFiles files = NamedFiles::required);

/// Throws files::InputError if a specification was tuned for another model than the checkpoint at
/// `path`, by its digest. Whoever runs a model with caches of a user calls it first. Reads the
/// checkpoint if there is a tuned cache.
void check_tuned(std::span<const Specification> specifications, const std::string& path);

}  // namespace axelram::caches
