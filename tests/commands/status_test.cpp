#include "axelram/commands/status.hpp"

#include <new>
#include <system_error>

#include "axelram/files/errors.hpp"
#include "axelram/sim/errors.hpp"
#include "check.hpp"

using namespace axelram;
using commands::Status;

namespace {

template <class Error>
commands::Failure failure_of(const Error& error) {
  return commands::failure_of(std::make_exception_ptr(error));
}

}  // namespace

TEST_CASE("exit codes are those of the documents") {
  CHECK(static_cast<int>(Status::done) == 0);
  CHECK(static_cast<int>(Status::check_failed) == 1);
  CHECK(static_cast<int>(Status::bad_input) == 2);
  CHECK(static_cast<int>(Status::environment) == 3);
  CHECK(static_cast<int>(Status::internal_error) == 70);
}

TEST_CASE("an exception says what failed: a check, the input, the environment") {
  CHECK(failure_of(commands::CheckFailed("no")).status == Status::check_failed);
  CHECK(failure_of(sim::SimulationError("hangs")).status == Status::check_failed);
  CHECK(failure_of(sim::ProtocolError("hangs")).status == Status::check_failed);
  CHECK(failure_of(files::InputError("file: bad")).status == Status::bad_input);
  CHECK(failure_of(files::InputError("file: bad")).message == "file: bad");
  CHECK(failure_of(files::EnvironmentError("no disk")).status == Status::environment);
  CHECK(failure_of(std::bad_alloc()).status == Status::environment);
  CHECK(failure_of(std::system_error(ENOSPC, std::generic_category())).status ==
        Status::environment);
}

TEST_CASE("every other exception is an internal error") {
  const commands::Failure failure = failure_of(std::logic_error("no row"));
  CHECK(failure.status == Status::internal_error);
  CHECK(failure.message == "internal error, please report: no row");
  CHECK(failure_of(std::runtime_error("the device rejected a row")).status ==
        Status::internal_error);
  CHECK(failure_of(std::out_of_range("vector")).status == Status::internal_error);
  CHECK(failure_of(std::invalid_argument("x")).status == Status::internal_error);
  CHECK(failure_of(3).status == Status::internal_error);
}
