#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace axelram::cli {

/// What the command line asks for; returns the exit code.
using Action = std::function<int()>;

/// Each declares one sub-command; parsing it sets *action.
void add_generate(CLI::App* app, Action* action);
void add_run(CLI::App* app, Action* action);
void add_verify(CLI::App* app, Action* action);
void add_report(CLI::App* app, Action* action);
void add_faults(CLI::App* app, Action* action);
void add_capture(CLI::App* app, Action* action);
void add_calibrate(CLI::App* app, Action* action);
void add_perplexity(CLI::App* app, Action* action);
void add_stress(CLI::App* app, Action* action);

}  // namespace axelram::cli
