#include "axelram/files/places.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace axelram::files {
namespace {

namespace fs = std::filesystem;

/// Value of an environment variable, "" if it is not set.
std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string shipped(const std::string& name) {
  std::vector<fs::path> candidates;
  if (const std::string share = variable("AXELRAM_SHARE"); !share.empty())
    candidates.emplace_back(share);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) candidates.push_back(program.parent_path().parent_path() / "share/axelram");
  candidates.emplace_back(AXELRAM_SOURCE_DIR);
  for (const fs::path& candidate : candidates)
    if (fs::exists(candidate / name, error)) return (candidate / name).string();
  return "";
}

std::string user_cache() {
  // A relative path is no place, as the XDG specification says.
  if (const std::string xdg = variable("XDG_CACHE_HOME"); xdg.rfind('/', 0) == 0)
    return xdg + "/axelram";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/axelram";
  const passwd* const user = ::getpwuid(::geteuid());
  if (user == nullptr || user->pw_dir == nullptr) return "";
  return std::string(user->pw_dir) + "/.cache/axelram";
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string inside(const std::string& folder, const std::string& file) {
  if (file.front() == '/' || folder.empty()) return file;
  return folder + (folder.back() == '/' ? "" : "/") + file;
}

std::string canonical(const std::string& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) found = fs::absolute(path, error).lexically_normal();
  return (found.has_filename() ? found : found.parent_path()).string();
}

bool within(const std::string& inner, const std::string& outer) {
  const fs::path file(inner), folder(outer);
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

}  // namespace axelram::files
