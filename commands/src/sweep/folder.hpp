#pragma once

#include <cstddef>
#include <string>

#include "axelram/commands/sweep.hpp"

namespace axelram::commands::sweeps {

/// "pareto_N.ENDING" of front `number`, counted from 0.
std::string plot_name(std::size_t number, const std::string& ending);

/// The folder of a sweep: points/, sweep.json, sweep.csv and plots.
class SweepFolder {
 public:
  explicit SweepFolder(std::string path);

  std::string at(const std::string& name) const;

  /// Throws files::InputError unless the folder is new, empty, or that of a sweep, finished or not.
  /// With `force` it may also have other files.
  void check(bool force) const;
  /// Creates the folder and points/. Throws files::EnvironmentError.
  void create() const;
  /// Removes the plots that the earlier sweep.json lists and `result` does not.
  void remove_old_plots(const SweepResult& result) const;

 private:
  std::string path_;
};

}  // namespace axelram::commands::sweeps
