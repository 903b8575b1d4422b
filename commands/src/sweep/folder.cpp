#include "folder.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "../outputs.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/json.hpp"

namespace axelram::commands::sweeps {
namespace {

namespace fs = std::filesystem;

/// The record of an earlier sweep, or null.
nlohmann::json record_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  try {
    nlohmann::json record = files::read_json(path);
    if (record.is_object() && record.contains("axelram_sweep")) return record;
  } catch (const files::InputError&) {  // a file of others
  }
  return {};
}

/// True if there is nothing but points: a sweep that was ended before its tables.
bool only_points(const std::string& path) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error))
    if (entry.path().filename() != "points" || !entry.is_directory(error)) return false;
  return true;
}

}  // namespace

std::string plot_name(std::size_t number, const std::string& ending) {
  return "pareto_" + std::to_string(number + 1) + "." + ending;
}

SweepFolder::SweepFolder(std::string path) : path_(std::move(path)) {}

std::string SweepFolder::at(const std::string& name) const {
  return (fs::path(path_) / name).string();
}

void SweepFolder::check(bool force) const {
  std::error_code error;
  const bool own = fs::is_directory(path_, error) &&
                   (only_points(path_) || !record_of(at("sweep.json")).is_null());
  check_directory(path_, force || own);
}

void SweepFolder::create() const {
  NewDirectory points(at("points"));
  points.keep();
}

void SweepFolder::remove_old_plots(const SweepResult& result) const {
  const nlohmann::json record = record_of(at("sweep.json"));
  if (!record.contains("fronts") || !record["fronts"].is_array()) return;
  const std::size_t fronts = record["fronts"].size();
  for (std::size_t f = 0; f < std::min<std::size_t>(fronts, kMaxSweepRows); ++f)
    for (const char* ending : {"svg", "png", "pdf", "json"}) {
      const std::string name = plot_name(f, ending);
      if (record["fronts"][f].value("plot", nlohmann::json()) != name) continue;
      const bool again = std::any_of(result.fronts.begin(), result.fronts.end(),
                                     [&](const SweepFront& front) { return front.plot == name; });
      std::error_code error;
      if (!again) fs::remove(at(name), error);
    }
}

}  // namespace axelram::commands::sweeps
