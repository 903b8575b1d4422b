#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace axelram::commands {

/// The exit codes of the program.
enum class Status {
  done = 0,             ///< and every check holds
  check_failed = 1,     ///< a comparison or a bar does not hold
  bad_input = 2,        ///< usage, a file or a value
  environment = 3,      ///< a tool, a GPU, memory or disk space is missing
  internal_error = 70,  ///< a fault of the program itself (EX_SOFTWARE of sysexits.h)
};

/// A check that ends a command before it has a result.
class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Failure {
  Status status;
  std::string message;
};

/// Status and message of an exception: CheckFailed and sim::SimulationError are failed checks,
/// files::InputError bad input, files::EnvironmentError, std::bad_alloc and std::system_error the
/// environment; everything else is an internal error.
Failure failure_of(const std::exception_ptr& error);

}  // namespace axelram::commands
