#include "folder.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <utility>

#include "../json.hpp"
#include "../outputs.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/json.hpp"

namespace axelram::commands::sweeps {
namespace {

namespace fs = std::filesystem;

/// Process that wrote a temporary file, or 0 for another file.
long writer_of(const std::string& name) {
  constexpr std::string_view kBegin = ".axelram-", kEnd = ".tmp";
  if (name.size() <= kBegin.size() + kEnd.size() || name.rfind(kBegin, 0) != 0 ||
      name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) != 0)
    return 0;
  long process = 0;
  std::from_chars(name.data() + kBegin.size(), name.data() + name.size(), process);
  return process;
}

/// True for a temporary file that no process goes on with: its own is gone here, and the file is
/// too old for one that works on another machine.
bool is_left_over(const fs::directory_entry& entry) {
  constexpr std::chrono::hours kOld(1);
  const long writer = writer_of(entry.path().filename().string());
  if (writer <= 0 || ::kill(static_cast<pid_t>(writer), 0) == 0 || errno != ESRCH) return false;
  std::error_code error;
  const fs::file_time_type written = entry.last_write_time(error);
  return !error && fs::file_time_type::clock::now() - written > kOld;
}

bool is_point(const std::string& name) {
  constexpr std::size_t kDigits = 64;
  return name.size() == kDigits + 5 && name.substr(kDigits) == ".json" &&
         name.find_first_not_of("0123456789abcdef") == kDigits;
}

/// True if all entries of a folder, if there are any, satisfy `rule`.
template <class Rule>
bool every_entry(const std::string& folder, Rule&& rule) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  return std::all_of(begin(entries), end(entries), rule);
}

/// A name as a record has it.
std::string recorded(const std::string& name) { return Json::parse(text_of(name)); }

}  // namespace

SweepFolder::SweepFolder(std::string path, const std::string& sweep)
    : path_(std::move(path)),
      name_(fs::path(sweep).filename().string()),
      stem_(fs::path(sweep).stem().string()) {}

std::string SweepFolder::at(const std::string& name) const {
  return (fs::path(path_) / name).string();
}

std::string SweepFolder::plot(std::size_t number, const std::string& ending) const {
  return stem_ + "_pareto_" + std::to_string(number + 1) + "." + ending;
}

/// Plots that the record of an earlier sweep of this name lists; nothing without such a record.
std::optional<std::vector<std::string>> SweepFolder::recorded_plots() const {
  std::error_code error;
  if (!fs::is_regular_file(at(table("json")), error)) return {};
  try {
    const nlohmann::json record = files::read_json(at(table("json")));
    if (record.at("axelram_sweep") != recorded(name_)) return {};
    std::vector<std::string> plots;
    for (const nlohmann::json& front : record.at("fronts"))
      if (!front.at("plot").is_null()) plots.push_back(front.at("plot").get<std::string>());
    return plots;
  } catch (const nlohmann::json::exception&) {  // a file of others
  } catch (const files::InputError&) {
  }
  return {};
}

/// True for a folder of points, beside tables of any sweeps, and for one in which a sweep was ended
/// before its first point.
bool SweepFolder::has_only_sweeps() const {
  std::error_code error;
  const bool points = every_entry(at("points"), [](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return is_point(name) || writer_of(name) > 0;
  });
  const bool alone = every_entry(path_, [&error](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return writer_of(name) > 0 || (name == "points" && entry.is_directory(error));
  });
  const bool any = fs::is_directory(at("points"), error) && !fs::is_empty(at("points"), error);
  return points && (alone || any);
}

void SweepFolder::check(const std::vector<std::string>& outputs, bool force) const {
  std::error_code error;
  const auto plots = recorded_plots();
  const bool own_folder = fs::is_directory(path_, error) && (plots || has_only_sweeps());
  check_directory(path_, force || own_folder);
  for (const std::string& name : outputs) {
    const bool own = plots && (name == table("json") || name == table("csv") ||
                               std::count(plots->begin(), plots->end(), recorded(name)) > 0);
    if (fs::exists(fs::symlink_status(at(name), error)))
      files::check_output(at(name), force || own);
  }
}

void SweepFolder::create() const {
  NewDirectory points(at("points"));
  points.keep();
}

void SweepFolder::clean() const {
  std::error_code error;
  for (const std::string& folder : {path_, at("points")}) {
    std::vector<fs::path> dead;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      if (is_left_over(entry)) dead.push_back(entry.path());
    for (const fs::path& path : dead) fs::remove(path, error);
  }
}

void SweepFolder::remove_old_plots(const SweepResult& result) const {
  const std::vector<std::string> plots = recorded_plots().value_or(std::vector<std::string>());
  for (std::size_t f = 0; f < plots.size(); ++f)
    for (const char* ending : {"svg", "png", "pdf", "json"}) {
      const std::string name = plot(f, ending);
      const bool again = std::any_of(result.fronts.begin(), result.fronts.end(),
                                     [&](const SweepFront& front) { return front.plot == name; });
      std::error_code error;
      if (plots[f] == recorded(name) && !again) fs::remove(at(name), error);
    }
}

}  // namespace axelram::commands::sweeps
