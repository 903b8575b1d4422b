#pragma once

#include <stdexcept>

namespace axelram::files {

/// Bad input: one line that says what, where (file:line or file, tensor) and what would be right.
/// A program that catches it ends with exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The machine lacks something (disk space, a permission, memory): one line that says what.
/// A program that catches it ends with exit code 3.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace axelram::files
