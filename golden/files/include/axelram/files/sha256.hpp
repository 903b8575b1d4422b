#pragma once

#include <string>
#include <string_view>

namespace axelram::files {

/// SHA-256 (FIPS 180-4) as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

/// "NAME (sha256 0123456789ab)": the last part of a path, and the first 12 digits of the digest of
/// its content, which name the version of a file in a report.
std::string provenance_of(const std::string& path, std::string_view bytes);

}  // namespace axelram::files
