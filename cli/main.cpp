#include <exception>
#include <iostream>
#include <new>
#include <system_error>

#include "axelram/files/errors.hpp"
#include "commands.hpp"
#include "text.hpp"

namespace {

using axelram::cli::Action;

// What a caller may rely on.
constexpr int kCheckFailed = 1;
constexpr int kBadInput = 2;
constexpr int kEnvironment = 3;

int complain(const std::string& message, int code) {
  std::cout.flush();
  std::cerr << "axelram: " << axelram::cli::one_line(message) << "\n";
  return code;
}

void declare(CLI::App* app, Action* action) {
  app->set_version_flag("--version", "axelram " AXELRAM_VERSION);
  app->require_subcommand(1);
  app->footer(
      "Exit codes: 0 done and holds; 1 a check failed; 2 bad usage or input; 3 the environment\n"
      "lacks something. Nothing is written over without --force.\n"
      "'axelram COMMAND --help' shows a command's options and an example.");
  axelram::cli::add_generate(app, action);
  axelram::cli::add_run(app, action);
  axelram::cli::add_verify(app, action);
  axelram::cli::add_report(app, action);
  axelram::cli::add_faults(app, action);
  axelram::cli::add_capture(app, action);
  axelram::cli::add_calibrate(app, action);
  axelram::cli::add_perplexity(app, action);
  axelram::cli::add_stress(app, action);
}

bool has_command(const CLI::App& app, const std::string& name) {
  const auto same = [&](const CLI::App* command) { return command->get_name() == name; };
  return !app.get_subcommands(same).empty();
}

/// One line for CLI11's complaint, naming the help that answers it.
int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string help = "axelram";
  std::string where;
  for (const CLI::App* command : app.get_subcommands()) {
    help += " " + command->get_name();
    where = command->get_name() + ": ";
  }
  return complain(where + error.what() + "; see '" + help + " --help'", kBadInput);
}

int run(int argc, char** argv) {
  CLI::App app("A smart SRAM macro for quantized KV caches: generate, run, verify, report",
               "axelram");
  Action action;
  declare(&app, &action);
  if (argc > 1 && argv[1][0] != '-' && !has_command(app, argv[1]))
    return complain(std::string("'") + argv[1] + "' is no command; see 'axelram --help'",
                    kBadInput);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  const int code = action();
  if (!std::cout.flush()) return complain("standard output: cannot be written", kEnvironment);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const axelram::files::InputError& error) {
    return complain(error.what(), kBadInput);
  } catch (const axelram::files::EnvironmentError& error) {
    return complain(error.what(), kEnvironment);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; use a smaller input or a machine with more", kEnvironment);
  } catch (const std::system_error& error) {
    return complain(error.what(), kEnvironment);
  } catch (const std::exception& error) {
    return complain(error.what(), kCheckFailed);
  }
}
