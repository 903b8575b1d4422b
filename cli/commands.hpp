#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "axelram/commands/status.hpp"

namespace axelram::cli {

using commands::Status;

/// The command that was parsed, ready to run.
using Action = std::function<Status()>;

/// Each declares one command; parsing it sets *action.
void add_generate(CLI::App* app, Action* action);
void add_run(CLI::App* app, Action* action);
void add_verify(CLI::App* app, Action* action);
void add_report(CLI::App* app, Action* action);
void add_datasheet(CLI::App* app, Action* action);
void add_faults(CLI::App* app, Action* action);
void add_sweep(CLI::App* app, Action* action);
void add_capture(CLI::App* app, Action* action);
void add_calibrate(CLI::App* app, Action* action);
void add_tune(CLI::App* app, Action* action);
void add_perplexity(CLI::App* app, Action* action);
void add_needle(CLI::App* app, Action* action);
void add_prefill(CLI::App* app, Action* action);
void add_complete(CLI::App* app, Action* action);
void add_state(CLI::App* app, Action* action);
void add_convert(CLI::App* app, Action* action);
void add_stress(CLI::App* app, Action* action);
void add_fold(CLI::App* app, Action* action);
void add_list(CLI::App* app, Action* action);

inline Status status_of(bool holds) { return holds ? Status::done : Status::check_failed; }

}  // namespace axelram::cli
