#include "axelram/files/errors.hpp"

namespace axelram::files {

void fail_at(const std::string& origin, int line, const std::string& what) {
  throw InputError(origin + ":" + std::to_string(line) + ": " + what);
}

bool is_wrong_name(const std::error_code& error) {
  return error == std::errc::filename_too_long || error == std::errc::not_a_directory ||
         error == std::errc::too_many_symbolic_link_levels;
}

}  // namespace axelram::files
