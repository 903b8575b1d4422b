#include "axelram/commands/sweep.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "progress_line.hpp"

namespace axelram::cli {
namespace {

constexpr std::size_t kShown = 20;  // rejected rows, and rows of a front

std::string row_text(const commands::SweepResult& result, std::size_t number) {
  const commands::SweepRow& row = result.rows[number];
  std::string text = "  row " + std::to_string(number + 1) + ": " + row.base;
  for (std::size_t k = 0; k < result.keys.size(); ++k)
    if (row.settings[k])
      text += ", " + result.keys[k] + " " + (row.settings[k]->empty() ? "''" : *row.settings[k]);
  return files::printable(text);
}

std::string figure_text(const commands::SweepResult& result, std::size_t row,
                        const std::string& name) {
  const report::Line* const line = result.figure(row, name);
  if (line == nullptr) return "n/a";
  if (const auto* whole = std::get_if<std::uint64_t>(&line->value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&line->value)) return CLI::detail::to_string(*real);
  return "n/a";
}

void print_rows(const commands::SweepResult& result, const std::vector<std::size_t>& rows,
                const std::function<std::string(std::size_t)>& text) {
  for (std::size_t i = 0; i < std::min(rows.size(), kShown); ++i)
    std::cout << text(rows[i]) << "\n";
  if (rows.size() > kShown)
    std::cout << "  and " << rows.size() - kShown << " more, in " << files::printable(result.stem)
              << ".csv\n";
}

void print(const commands::SweepResult& result) {
  std::vector<std::size_t> rejected;
  for (std::size_t i = 0; i < result.rows.size(); ++i)
    if (!result.rows[i].reason.empty()) rejected.push_back(i);
  std::cout << "sweep " << files::printable(result.name) << ": " << result.rows.size()
            << " configurations, " << rejected.size() << " rejected; " << result.evaluated
            << " points evaluated, " << result.found << " found\n";
  if (!rejected.empty()) std::cout << "\nrejected\n";
  print_rows(result, rejected, [&](std::size_t row) {
    return row_text(result, row) + ": " + result.rows[row].reason;
  });
  for (const commands::SweepFront& front : result.fronts) {
    std::cout << "\nfront of " << front.x << " (" << (front.x_highest ? "highest" : "lowest")
              << " is best) and " << front.y << " (" << (front.y_highest ? "highest" : "lowest")
              << " is best)\n";
    print_rows(result, front.rows, [&](std::size_t row) {
      return row_text(result, row) + ": " + figure_text(result, row, front.x) + ", " +
             figure_text(result, row, front.y);
    });
  }
}

/// Only the process that failed reports an error, since mpirun ends all at the first code but 0.
Status execute(const commands::SweepOptions& options) {
  const faults::Processes processes;
  ProgressLine progress;
  try {
    const commands::SweepResult result =
        commands::sweep(options, processes, progress.receiver(),
                        progress.then([](const auto& figures) { print(figures); }));
    if (processes.first())
      std::cout << "\nwritten: " << files::printable(options.folder) << "/"
                << files::printable(result.stem) << ".csv, " << files::printable(result.stem)
                << ".json" << (result.fronts.empty() || options.plots == "none" ? "" : ", plots")
                << "\n";
  } catch (const faults::OtherProcessFailed&) {
  }
  return Status::done;
}

}  // namespace

void add_sweep(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::SweepOptions>();
  CLI::App* command =
      app->add_subcommand("sweep", "many configurations in one table, with Pareto fronts");
  command->footer(
      "Evaluates every combination of a grid, or every element of a list, and keeps each finished\n"
      "point in DIR/points: a sweep that was ended goes on where it stood. Tables and plots do "
      "not\n"
      "depend on the number of threads or of ranks of mpirun. A configuration that is rejected is\n"
      "a row with its reason. docs/sweeps.md describes the file; sweeps/ has examples.\n\n"
      "Example:\n"
      "  axelram sweep sweeps/bits.yaml -o out");
  command
      ->add_option("SWEEP", options->spec,
                   "base, grid or list, reports, columns, pareto: YAML or JSON")
      ->required()
      ->type_name("FILE")
      ->check(file_name())
      ->option_text("(required)");
  add_output(command, &options->folder, "folder of the points, tables and plots", "DIR");
  command
      ->add_option("--plots", options->plots,
                   "format of the plots: svg (default), png, pdf, json, or none; all but json need "
                   "python3 with matplotlib")
      ->check(CLI::IsMember({"svg", "png", "pdf", "json", "none"}))
      ->type_name("NAME");
  add_threads(command, &options->threads);
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
