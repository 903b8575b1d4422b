#include "program.hpp"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <set>
#include <string>

#include "axelram/commands/version.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/notes.hpp"
#include "axelram/files/unfinished.hpp"
#include "commands.hpp"
#include "text.hpp"

namespace {

using axelram::cli::Action;
using axelram::cli::Status;

std::string version_text() {
  const std::string commit = axelram::commands::kCommit;
  return std::string("axelram ") + axelram::commands::kVersion +
         (commit.empty() ? "" : ", commit " + commit);
}

int complain(const std::string& message, Status status) {
  std::cout.flush();
  std::cerr << "axelram: " << axelram::files::printable(message, 2000) << "\n";
  return static_cast<int>(status);
}

void declare(CLI::App* app, Action* action) {
  app->set_version_flag("--version", version_text());
  app->require_subcommand(1);
  app->footer(
      "Exit codes: 0 done and holds; 1 a check failed; 2 bad usage or input; 3 a tool, a GPU,\n"
      "memory or disk space is missing; 70 an internal error; 141 done, but not all of the output\n"
      "was read, as behind '| head'. Nothing is written over without --force.\n"
      "'axelram COMMAND --help' shows a command's options and an example.");
  axelram::cli::add_generate(app, action);
  axelram::cli::add_run(app, action);
  axelram::cli::add_verify(app, action);
  axelram::cli::add_report(app, action);
  axelram::cli::add_datasheet(app, action);
  axelram::cli::add_faults(app, action);
  axelram::cli::add_sweep(app, action);
  axelram::cli::add_capture(app, action);
  axelram::cli::add_calibrate(app, action);
  axelram::cli::add_tune(app, action);
  axelram::cli::add_perplexity(app, action);
  axelram::cli::add_needle(app, action);
  axelram::cli::add_prefill(app, action);
  axelram::cli::add_complete(app, action);
  axelram::cli::add_state(app, action);
  axelram::cli::add_convert(app, action);
  axelram::cli::add_stress(app, action);
  axelram::cli::add_fold(app, action);
  axelram::cli::add_list(app, action);
}

bool has_command(const CLI::App& app, const std::string& name) {
  const auto same = [&](const CLI::App* command) { return command->get_name() == name; };
  return !app.get_subcommands(same).empty();
}

/// One line: CLI11's message and the command that prints the help.
int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string help = "axelram";
  std::string where;
  for (const CLI::App* command : app.get_subcommands()) {
    help += " " + command->get_name();
    where = command->get_name() + ": ";
  }
  return complain(where + error.what() + "; see '" + help + " --help'", Status::bad_input);
}

/// Whether no process reads standard output any more, as behind `| head`.
bool reader_left() {
  pollfd out = {STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/// The exit code of a run that ends with `status`, once its output is written. Who stops reading
/// has seen enough: the program then ends in silence, with the code of one that SIGPIPE ended.
int finish(int status) {
  constexpr int kEndedBySignal = 128;
  if (std::cout.flush()) return status;
  if (reader_left()) return status != 0 ? status : kEndedBySignal + SIGPIPE;
  return complain("standard output: cannot be written", Status::environment);
}

int run(int argc, char** argv) {
  CLI::App app("A smart SRAM macro for quantized KV caches: generate, run, verify, report",
               "axelram");
  Action action;
  declare(&app, &action);
  if (argc > 1 && argv[1][0] != '-' && !has_command(app, argv[1]))
    return complain(std::string("'") + argv[1] + "' is not a command; see 'axelram --help'",
                    Status::bad_input);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return finish(app.exit(help));
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  return finish(static_cast<int>(action()));
}

}  // namespace

int axelram::cli::program(int argc, char** argv) {
  files::handle_signals();
  files::receive_notes([said = std::set<std::string>()](const std::string& line) mutable {
    if (said.insert(line).second) complain(line, Status::done);
  });
  try {
    return run(argc, argv);
  } catch (...) {
    const commands::Failure failure = commands::failure_of(std::current_exception());
    return complain(failure.message, failure.status);
  }
}
