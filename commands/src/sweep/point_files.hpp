#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rows.hpp"

namespace axelram::commands::sweeps {

/// What the figures of a point depend on, beside its configuration.
struct PointContext {
  std::vector<report::Group> groups;
  std::string trace;  ///< SHA-256; empty: none
  std::string yosys;  ///< its version; empty: not installed, or no synthesis
};

/// The name of a point: SHA-256 of the program, configuration with the data of its files, and
/// context.
std::string key_of_point(const files::Config& config, const PointContext& context);

/// The folder "points" of a sweep: a file KEY.json for each point that was evaluated.
class PointFiles {
 public:
  explicit PointFiles(const std::string& folder);

  const std::string& folder() const { return folder_; }
  std::string path(const std::string& key) const { return folder_ + "/" + key + ".json"; }
  /// Throws files::InputError for a file that is no such point.
  bool has(const std::string& key) const { return read(key).has_value(); }

  /// Writes a point whole or not at all.
  void write(const std::string& key, const files::Config& config, const PointContext& context,
             const std::vector<report::Line>& lines) const;

  /// Figures of a point; nothing if it has no file. Throws files::InputError for a file that is no
  /// such point, or not as it was written.
  std::optional<std::vector<report::Line>> read(const std::string& key) const;

 private:
  std::string folder_;
};

}  // namespace axelram::commands::sweeps
