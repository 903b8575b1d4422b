#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace axelram::files {

/// The whole content of a file or pipe. Throws InputError if it cannot be opened or holds more than
/// `limit` bytes (0: no limit), EnvironmentError if the machine fails meanwhile.
std::vector<std::uint8_t> read_file(const std::string& path, std::size_t limit);

}  // namespace axelram::files
