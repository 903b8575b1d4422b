#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "axelram/commands/sweep.hpp"

namespace axelram::commands::sweeps {

/// The folder of a sweep: points/, which sweeps share, and the sweep's own tables and plots, whose
/// names begin with that of its file.
class SweepFolder {
 public:
  /// `sweep`: path of the file of the sweep.
  SweepFolder(std::string path, const std::string& sweep);

  const std::string& name() const { return name_; }  ///< of the file of the sweep
  const std::string& stem() const { return stem_; }
  std::string at(const std::string& name) const;
  std::string table(const std::string& ending) const { return stem_ + "." + ending; }
  /// "STEM_pareto_N.ENDING" of front `number`, counted from 0.
  std::string plot(std::size_t number, const std::string& ending) const;

  /// Throws files::InputError unless the folder is new, empty, or that of a sweep, finished or not;
  /// and for an output that exists and that no sweep of this name wrote. With `force` the folder
  /// may have any files, and outputs are replaced.
  void check(const std::vector<std::string>& outputs, bool force) const;
  /// Creates the folder and points/. Throws files::EnvironmentError.
  void create() const;
  /// Removes temporary files of processes that were killed.
  void clean() const;
  /// Removes the plots that the earlier record lists and `result` does not.
  void remove_old_plots(const SweepResult& result) const;

 private:
  std::optional<std::vector<std::string>> recorded_plots() const;
  bool has_only_sweeps() const;

  std::string path_, name_, stem_;
};

}  // namespace axelram::commands::sweeps
