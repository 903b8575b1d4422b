#pragma once

#include <stdexcept>
#include <string>
#include <system_error>

namespace axelram::files {

/// Bad input. The message is one line: error, place (file:line or file, tensor) and correction. The
/// program ends with exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Missing disk space, permission, memory or tool. The message is one line. The program ends with
/// exit code 3.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws InputError: "origin:line: what".
[[noreturn]] void fail_at(const std::string& origin, int line, const std::string& what);

/// Whether a failure of the file system comes from the name that it was given, hence bad input.
bool is_wrong_name(const std::error_code& error);

}  // namespace axelram::files
