#pragma once

#include <string>

namespace axelram::files {

/// Path of a file or folder that comes with the program, such as "configs": in the first of these
/// directories that has it: $AXELRAM_SHARE, share/axelram of the prefix in which the program is
/// installed, the source tree. "" if none has it.
std::string shipped(const std::string& name);

/// The user's folder for what can be made or fetched again: $XDG_CACHE_HOME/axelram if it is
/// absolute, else ~/.cache/axelram. It may not exist yet. "" if the user has no home.
std::string user_cache();

/// Directory of a path with its last '/', or "" if there is none.
std::string folder_of(const std::string& path);
/// Path of a file that a configuration in `folder` names: absolute, or relative to `folder`.
std::string inside(const std::string& folder, const std::string& file);

/// The one path of a file or folder, whether it exists or not: absolute, of a link the file that it
/// leads to, no '/' at its end.
std::string canonical(const std::string& path);
/// `inner` is `outer` or lies in it; both canonical.
bool within(const std::string& inner, const std::string& outer);

}  // namespace axelram::files
