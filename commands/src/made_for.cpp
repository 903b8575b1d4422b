#include "made_for.hpp"

#include "axelram/files/places.hpp"
#include "axelram/files/rotation.hpp"
#include "axelram/files/safetensors.hpp"

namespace axelram::commands {

files::BalanceInUse balance_of(const ConfigFile& file) {
  const std::string& name = file.config.rotation.balance_file;
  if (name.empty()) return {};
  const std::string path = files::inside(files::folder_of(file.path), name);
  return {files::exponents_digest(files::read_exponents(path, file.config.parameters)), path};
}

void check_center(const ConfigFile& file) {
  const std::string& name = file.config.rotation.center_file;
  if (name.empty()) return;
  const std::string path = files::inside(files::folder_of(file.path), name);
  if (files::Safetensors::map(path).metadata().contains(files::kBalanceKey))
    files::check_made_for(path, balance_of(file));
}

}  // namespace axelram::commands
