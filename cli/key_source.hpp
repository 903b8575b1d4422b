#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "axelram/calibration/keys.hpp"
#include "model_arguments.hpp"
#include "progress.hpp"

namespace axelram::cli {

/// --window N.
CLI::Option* add_window(CLI::App* app, std::uint64_t* window);
/// The option's value, or the default where it is 0. Throws files::InputError: more than the model
/// takes.
std::size_t window_size(std::uint64_t window, const checkpoints::Architecture& architecture);

/// The last part of a path, whatever follows or precedes it.
std::string base_name(const std::string& path);

/// A model ready to run over windows, with its cache, its threads and a bar on a terminal. Windows
/// and checkpoint must outlive it.
class KeySource {
 public:
  KeySource(const ModelArguments& arguments, const checkpoints::Checkpoint& checkpoint,
            const std::vector<transformer::Sequence>& windows, ElementFormat format);

  calibration::Source get();
  transformer::Workers& workers() { return workers_; }
  /// Shows a bar on a terminal.
  calibration::Progress progress(const std::string& what);
  /// Removes the bar.
  void finish() { progress_.clear(); }

 private:
  const checkpoints::Checkpoint& checkpoint_;
  const std::vector<transformer::Sequence>& windows_;
  ElementFormat format_;
  std::unique_ptr<transformer::Cache> cache_;
  transformer::Workers workers_;
  Progress progress_;
};

}  // namespace axelram::cli
