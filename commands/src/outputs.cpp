#include "outputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/places.hpp"
#include "made_for.hpp"

namespace axelram::commands {
namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<std::string>& list, const std::string& path) {
  return std::find(list.begin(), list.end(), path) != list.end();
}

}  // namespace

Outputs::Outputs(bool force, const std::vector<std::string>& inputs) : force_(force) {
  for (const std::string& input : inputs)
    if (!input.empty()) inputs_.push_back(files::canonical(input));
}

ConfigFile read_any_config(const std::string& file_or_name) {
  const std::string path = files::find_config_file(file_or_name);
  return {path, files::read_config(path)};
}

ConfigFile read_config(const std::string& file_or_name) {
  ConfigFile file = read_any_config(file_or_name);
  files::reject_bounded_memory(file.config, "this command");
  return file;
}

ConfigFile read_macro_config(const std::string& file_or_name) {
  ConfigFile file = read_config(file_or_name);
  check_center(file);
  return file;
}

ConfigFile read_hardware_config(const std::string& file_or_name) {
  ConfigFile file = read_macro_config(file_or_name);
  files::reject_attention(file.config, "the generated hardware");
  return file;
}

void Outputs::protect(const ConfigFile& file) {
  inputs_.push_back(files::canonical(file.path));
  const fs::path directory = fs::path(file.path).parent_path();
  const files::Config& config = file.config;
  for (const std::string& name :
       {config.rotation.signs_file, config.rotation.center_file, config.rotation.balance_file,
        config.channels_file, config.sram.file, config.sram.liberty, config.sram.lef})
    if (!name.empty()) inputs_.push_back(files::canonical((directory / name).string()));
  if (config.sram.folder.empty()) return;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(directory / config.sram.folder, error))
    inputs_.push_back(files::canonical(entry.path().string()));
}

void Outputs::protect(const std::string& file) { inputs_.push_back(files::canonical(file)); }

void Outputs::reject_input(const std::string& path) const {
  if (contains(inputs_, files::canonical(path)))
    throw files::InputError(path + ": is also an input; write to another file");
}

void Outputs::claim(const std::string& path) {
  reject_input(path);
  const std::string file = files::canonical(path);
  if (contains(outputs_, file))
    throw files::InputError(path + ": named for two outputs; give each its own file");
  outputs_.push_back(file);
}

void Outputs::add(const std::string& path) {
  if (path.empty()) return;
  claim(path);
  files::check_output(path, force_);
}

void Outputs::add_directory(const std::string& path) {
  if (path.empty()) return;
  claim(path);
  check_directory(path, force_);
}

NewDirectory::NewDirectory(const std::string& path) {
  if (path.empty()) return;
  std::error_code error;
  for (fs::path at = files::canonical(path); !fs::exists(at, error) && !error;
       at = at.parent_path())
    created_.push_back(at.string());
  if (!error) fs::create_directories(path, error);
  if (!error && ::access(path.c_str(), W_OK | X_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error)
    throw files::EnvironmentError(path + ": " + error.message() + "; choose another directory");
}

NewDirectory::~NewDirectory() {
  std::error_code ignored;
  for (const std::string& path : created_) fs::remove(path, ignored);
}

void check_directory(const std::string& path, bool force) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (files::is_wrong_name(error))
    throw files::InputError(path + ": " + error.message() + "; name another directory");
  if (!fs::exists(status)) {
    if (fs::is_symlink(fs::symlink_status(path, error)))
      throw files::InputError(path + ": is a symbolic link to nothing; name a directory");
    return;
  }
  if (!fs::is_directory(status))
    throw files::InputError(path + ": is not a directory; name another");
  if (!force && !fs::is_empty(path, error))
    throw files::InputError(path + ": is not empty; choose another directory or add --force");
}

}  // namespace axelram::commands
