#include <algorithm>
#include <filesystem>
#include <system_error>

#include "axelram/files/config.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/places.hpp"

namespace axelram::files {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<std::string> shipped_configs() {
  std::vector<std::string> names;
  const std::string directory = shipped("configs");
  std::error_code error;
  if (!directory.empty())
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, error))
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_config_file(const std::string& text) {
  // A path with an embedded NUL would name another file.
  const bool is_path = text.find('\0') == std::string::npos;
  std::error_code error;
  const fs::file_status status =
      is_path ? fs::status(text, error) : fs::file_status(fs::file_type::not_found);
  if (fs::exists(status) && !fs::is_directory(status)) return text;
  const std::vector<std::string> names = shipped_configs();
  if (std::find(names.begin(), names.end(), text) != names.end())
    return shipped("configs/" + text + ".yaml");
  if (fs::is_directory(status)) return text;
  const std::vector<std::string> near = nearest_names(text, names, 3);
  std::string advice = "check the path, or name one that 'axelram list configurations' shows";
  if (!near.empty()) {
    advice = "did you mean ";
    for (std::size_t i = 0; i < near.size(); ++i)
      advice += (i == 0 ? "" : i + 1 == near.size() ? " or " : ", ") + in_quotes(near[i]);
    advice += "?";
  }
  throw InputError(printable(text) + ": no such file and no shipped configuration of this name; " +
                   advice);
}

Config find_config(const std::string& text) { return read_config(find_config_file(text)); }

}  // namespace axelram::files
