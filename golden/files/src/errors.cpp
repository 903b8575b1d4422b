#include "axelram/files/errors.hpp"

namespace axelram::files {

bool is_wrong_name(const std::error_code& error) {
  return error == std::errc::filename_too_long || error == std::errc::not_a_directory ||
         error == std::errc::too_many_symbolic_link_levels;
}

}  // namespace axelram::files
