#include "point_files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <string_view>

#include "../json.hpp"
#include "../version.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/json.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/sha256.hpp"

namespace axelram::commands::sweeps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "axelram_sweep_point";
constexpr int kFormat = 1;  // of the files, and of what a key depends on

Json value_of(const sim::ReportLine& line) {
  if (const auto* whole = std::get_if<std::uint64_t>(&line.value)) return *whole;
  if (const auto* real = std::get_if<double>(&line.value)) return *real;
  return {};
}

sim::ReportLine line_of(const nlohmann::json& figure) {
  sim::ReportLine line;
  line.name = figure.at("name").get<std::string>();
  line.unit = figure.at("unit").get<std::string>();
  line.note = figure.at("note").get<std::string>();
  line.method = value_named<sim::Method>(figure.at("method").get<std::string>()).value();
  const nlohmann::json& value = figure.at("value");
  if (value.is_number_unsigned())
    line.value = value.get<std::uint64_t>();
  else if (!value.is_null())
    line.value = value.get<double>();
  return line;
}

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

Json groups_json(const PointContext& context) {
  Json names = Json::array();
  for (const sim::ReportGroup group : context.groups) names.push_back(name_of(group));
  return names;
}

}  // namespace

std::string key_of_point(const files::Config& config, const PointContext& context) {
  Json key = {{"format", kFormat},
              {"version", kVersion},
              {"commit", kCommit},
              {"configuration", files::canonical_yaml(config)},
              {"signs", config.head_rotation.signs},
              {"residual_signs", config.head_rotation.residual_signs},
              {"channels", config.head_rotation.high_channels},
              {"center", config.center},
              {"reports", groups_json(context)},
              {"trace", context.trace},
              {"yosys", context.yosys}};
  if (config.memory.model != files::MemoryModel::none)
    key["memory"] = sim::report_json(
        sim::report_groups(config, std::nullopt, {sim::ReportGroup::memory}, false));
  return files::sha256(text_of(key));
}

PointFiles::PointFiles(const std::string& folder)
    : folder_((fs::path(folder) / "points").string()) {}

bool PointFiles::has(const std::string& key) const {
  std::error_code error;
  return fs::exists(path(key), error);
}

void PointFiles::clean() const {
  std::error_code error;
  std::vector<fs::path> dead;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const long writer = writer_of(entry.path().filename().string());
    if (writer > 0 && ::kill(static_cast<pid_t>(writer), 0) != 0 && errno == ESRCH)
      dead.push_back(entry.path());
  }
  for (const fs::path& path : dead) fs::remove(path, error);
}

void PointFiles::write(const std::string& key, const files::Config& config,
                       const PointContext& context,
                       const std::vector<sim::ReportLine>& lines) const {
  Json figures = Json::array();
  for (const sim::ReportLine& line : lines)
    figures.push_back({{"name", line.name},
                       {"value", value_of(line)},
                       {"unit", line.unit},
                       {"method", name_of(line.method)},
                       {"note", line.note}});
  const Json point = {{kMark, kFormat},
                      {"key", key},
                      {"version", kVersion},
                      {"commit", kCommit},
                      {"configuration", files::canonical_yaml(config)},
                      {"reports", groups_json(context)},
                      {"trace", or_null(context.trace)},
                      {"yosys", or_null(context.yosys)},
                      {"figures", figures}};
  files::write_file(path(key), text_of(point), true);
}

std::vector<sim::ReportLine> PointFiles::read(const std::string& key) const {
  const std::string file = path(key);
  try {
    const nlohmann::json point = files::read_json(file);
    if (point.at(kMark) == kFormat && point.at("key") == key) {
      std::vector<sim::ReportLine> lines;
      for (const nlohmann::json& figure : point.at("figures")) lines.push_back(line_of(figure));
      return lines;
    }
  } catch (const nlohmann::json::exception&) {
  } catch (const std::bad_optional_access&) {
  } catch (const files::InputError&) {
  }
  throw files::InputError(files::printable(file) +
                          ": no point of this sweep; delete the file, and sweep again");
}

}  // namespace axelram::commands::sweeps
