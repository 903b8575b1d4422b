#include "axelram/commands/status.hpp"

#include <filesystem>
#include <new>
#include <system_error>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/sim/errors.hpp"

namespace axelram::commands {

Failure failure_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const CheckFailed& failed) {
    return {Status::check_failed, failed.what()};
  } catch (const sim::SimulationError& failed) {
    return {Status::check_failed, failed.what()};
  } catch (const files::InputError& input) {
    return {Status::bad_input, input.what()};
  } catch (const files::EnvironmentError& lacking) {
    return {Status::environment, lacking.what()};
  } catch (const std::bad_alloc&) {
    return {Status::environment, "out of memory; use a smaller input or a machine with more"};
  } catch (const std::filesystem::filesystem_error& failed) {
    const bool wrong_name = files::is_wrong_name(failed.code()) ||
                            failed.code() == std::errc::no_such_file_or_directory;
    const std::string where =
        failed.path1().empty() ? "the working directory" : failed.path1().string();
    return {wrong_name ? Status::bad_input : Status::environment,
            files::printable(where) + ": " + failed.code().message() + "; name another path"};
  } catch (const std::system_error& lacking) {
    return {Status::environment, lacking.what()};
  } catch (const std::exception& fault) {
    return {Status::internal_error, std::string("internal error, please report: ") + fault.what()};
  } catch (...) {
    return {Status::internal_error, "internal error, please report: an unknown exception"};
  }
}

}  // namespace axelram::commands
