#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "axelram/calibration/keys.hpp"
#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"

namespace axelram::commands {

/// Tokens of a window: `window`, or the default if it is 0. Throws files::InputError for more than
/// the model takes.
std::size_t window_size(std::uint64_t window, const checkpoints::Architecture& architecture);

/// The last part of a path, with or without a '/' at its end.
std::string base_name(const std::string& path);

/// A model ready to run over windows, with its cache and threads. Windows, checkpoint and progress
/// must outlive it.
class KeySource {
 public:
  KeySource(std::uint64_t threads, const checkpoints::Checkpoint& checkpoint,
            const std::vector<transformer::Sequence>& windows, ElementFormat format,
            const Progress& progress);

  calibration::Source get();
  transformer::Workers& workers() { return workers_; }
  /// Reports steps of this name.
  calibration::Progress progress(const std::string& what) const;

 private:
  const checkpoints::Checkpoint& checkpoint_;
  const std::vector<transformer::Sequence>& windows_;
  ElementFormat format_;
  std::unique_ptr<transformer::KvCache> cache_;
  transformer::Workers workers_;
  const Progress& progress_;
};

}  // namespace axelram::commands
