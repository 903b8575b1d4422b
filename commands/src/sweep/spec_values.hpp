#pragma once

#include <array>
#include <string>
#include <vector>

#include "axelram/files/config_keys.hpp"
#include "spec.hpp"

namespace axelram::commands::sweeps {

// Parts of a sweep. All throw files::InputError with the line of the part.

/// The entries of a map, of which there is one.
const std::vector<files::DocumentNode>& entries(const files::DocumentNode& node, const Spec& spec);
/// The elements of a list, of which there is one.
const std::vector<files::DocumentNode>& elements(const files::DocumentNode& node, const Spec& spec);
/// A value that is a name.
Named named(const files::DocumentNode& node, const Spec& spec);
/// Rejects entries of a map with other names.
void check_names(const files::DocumentNode& node, const std::vector<std::string>& known,
                 const Spec& spec);
/// An entry that a map must have.
const files::DocumentNode& needed(const files::DocumentNode& node, const std::string& name,
                                  const Spec& spec);

using Choices = std::array<const char*, 2>;
/// True if the value is the second name, false if it is the first.
bool second_of(const files::DocumentNode& node, const Choices& names, const Spec& spec);

/// The configuration key that an entry names as "section.key".
files::ConfigKeyRow key_of(const files::DocumentNode& entry, const Spec& spec);
/// Rejects a map, a list for a key that takes one value, and lists within lists. Whether the value
/// is one of the key's is seen with the whole configuration.
void check_value(const files::ConfigKeyRow& key, const files::DocumentNode& value,
                 const Spec& spec);

}  // namespace axelram::commands::sweeps
