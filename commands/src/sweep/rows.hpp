#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../outputs.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/files/trace.hpp"
#include "spec.hpp"

namespace axelram::commands::sweeps {

/// The trace of a sweep, for macros of any shape.
class SweepTrace {
 public:
  /// Throws files::InputError, with the line of the sweep, if it names a file that is no
  /// safetensors file.
  explicit SweepTrace(const Spec& spec);

  bool given() const { return file_.has_value(); }
  const std::string& sha256() const { return sha256_; }
  const std::string& path() const { return path_; }
  /// The trace for a macro, or nothing if the sweep has none. Throws files::InputError if it does
  /// not fit.
  std::optional<files::Trace> of(const files::Config& config) const;

 private:
  std::string path_, sha256_;
  std::optional<files::Safetensors> file_;
};

struct Base {
  std::string name;  ///< as the sweep names it
  ConfigFile file;
  std::string text;
};

/// Reads the bases of a sweep: files beside it, or shipped configurations.
std::vector<Base> read_bases(const Spec& spec);

/// Paths of the files that values of the sweep name.
std::vector<std::string> files_of(const Spec& spec);

/// A row of the sweep before it is evaluated: base, what is set, and what results.
struct Candidate {
  std::string base;
  /// For each of the spec's keys its value; nothing if the row is rejected and does not set it.
  std::vector<std::optional<std::string>> settings;
  std::optional<files::Config> config;  ///< nothing: rejected
  std::string reason;                   ///< if rejected
};

/// All rows: for each base those of the grid, its first key slowest, then those of the list. Throws
/// files::InputError if all are rejected.
std::vector<Candidate> candidates(const Spec& spec, const std::vector<Base>& bases,
                                  const SweepTrace& trace);

}  // namespace axelram::commands::sweeps
