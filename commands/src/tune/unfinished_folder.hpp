#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../json.hpp"

namespace axelram::commands::tunes {

/// Throws files::InputError if DIR cannot be written: it is no folder, or a mount point, or it has
/// files and `force` is not given, or is given and tune did not write them.
void check_tuned_output(const std::string& output, bool force);

/// Throws files::InputError if `file`, of an option, lies in DIR or in DIR.unfinished, which are
/// replaced as wholes.
void check_outside(const std::string& option, const std::string& file, const std::string& output);

/// DIR.unfinished: what is done of a run, until DIR is written. Every file in it is whole, so that
/// a run that was ended goes on from it. The folder stays if work fails, and until publish().
class UnfinishedFolder {
 public:
  static constexpr const char* kPlan = "plan.json";

  /// `output`: DIR. `plan`: all that results depend on, an object. Looks at what is there: throws
  /// files::InputError if the folder is not one of tune, or, without `force`, if it has another
  /// plan; says what differs. Writes nothing.
  UnfinishedFolder(const std::string& output, Json plan, bool force);

  /// True if the folder is there with this plan.
  bool resumed() const { return resumed_; }
  /// Makes the folder, empty but for the plan, unless it is resumed. Throws
  /// files::EnvironmentError.
  void create() const;

  const std::string& path() const { return path_; }  ///< ends with '/'
  std::string at(const std::string& name) const { return path_ + name; }
  /// The record of a step that is done, or none. A record that cannot be read is none.
  std::optional<nlohmann::json> record(const std::string& step) const;
  void write_record(const std::string& step, const Json& record) const;
  /// A file, in place of one that may be there.
  void write(const std::string& name, const std::string& content) const;
  /// Makes DIR of these files, which are there, and removes this folder. Moves a DIR that is there
  /// out of the way first. Throws files::EnvironmentError, and as check_tuned_output() if DIR has
  /// changed meanwhile; this folder stays then.
  void publish(const std::vector<std::string>& names) const;

 private:
  void check();

  std::string output_, path_, shown_;
  Json plan_;
  bool force_, resumed_ = false;
};

}  // namespace axelram::commands::tunes
