#pragma once

#include <string>

namespace axelram::files {

/// A name of a macro, of a configuration that gives none: that of its file without directory and
/// extension, with '_' for characters that are not safe in scripts and file lists.
std::string name_of_file(const std::string& path);

/// Returns the end of the message "name is NAME; ...": what a name must be. Returns "" for a name
/// that is right.
std::string wrong_name(const std::string& name);

/// The name in canonical YAML: plain if it is a text there, else in quotation marks.
std::string name_in_yaml(const std::string& name);

}  // namespace axelram::files
