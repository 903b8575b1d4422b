#include "point_files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "../json.hpp"
#include "axelram/commands/version.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/json.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/sha256.hpp"
#include "axelram/report/line_json.hpp"

namespace axelram::commands::sweeps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "axelram_sweep_point";
constexpr int kFormat = 1;  // of the files, and of what a key depends on

/// What tells builds of one version apart: the commit, and the bytes of the program if it was built
/// from files that differ from the commit.
std::string build() {
  static const std::string text = [] {
    std::string commit = kCommit;
    if (!commit.empty() && commit.back() != '+') return commit;
    std::ifstream program("/proc/self/exe", std::ios::binary);
    return commit + files::sha256(std::string{std::istreambuf_iterator<char>(program), {}});
  }();
  return text;
}

/// SHA-256 of figures as they are in a file.
std::string digest_of(const nlohmann::json& figures) { return files::sha256(figures.dump()); }

report::Line line_of(const nlohmann::json& figure) {
  report::Line line;
  line.name = figure.at("name").get<std::string>();
  line.unit = figure.at("unit").get<std::string>();
  line.note = figure.at("note").get<std::string>();
  line.method = value_named<report::Method>(figure.at("method").get<std::string>()).value();
  const nlohmann::json& value = figure.at("value");
  if (value.is_number_unsigned())
    line.value = value.get<std::uint64_t>();
  else if (!value.is_null())
    line.value = value.get<double>();
  return line;
}

Json groups_json(const PointContext& context) {
  Json names = Json::array();
  for (const report::Group group : context.groups) names.push_back(name_of(group));
  return names;
}

}  // namespace

std::string key_of_point(const files::Config& config, const PointContext& context) {
  Json key = {{"format", kFormat},
              {"version", kVersion},
              {"build", build()},
              {"configuration", files::canonical_yaml(config)},
              {"signs", config.head_rotation.signs},
              {"residual_signs", config.head_rotation.residual_signs},
              {"channels", config.head_rotation.high_channels},
              {"center", config.center},
              {"reports", groups_json(context)},
              {"trace", context.trace},
              {"yosys", context.yosys}};
  if (config.sram.model != files::SramModel::none)
    key["sram"] =
        report::json(report::groups(config, std::nullopt, {report::Group::memory}, false));
  return files::sha256(text_of(key));
}

PointFiles::PointFiles(const std::string& folder)
    : folder_((fs::path(folder) / "points").string()) {}

void PointFiles::write(const std::string& key, const files::Config& config,
                       const PointContext& context, const std::vector<report::Line>& lines) const {
  Json figures = Json::array();
  for (const report::Line& line : lines)
    figures.push_back({{"name", line.name},
                       {"value", report::value_json(line)},
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
                      {"sha256", digest_of(nlohmann::json::parse(text_of(figures)))},
                      {"figures", figures}};
  files::write_file(path(key), text_of(point), true);
}

std::optional<std::vector<report::Line>> PointFiles::read(const std::string& key) const {
  const std::string file = path(key);
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  try {
    const nlohmann::json point = files::read_json(file);
    if (point.at(kMark) == kFormat && point.at("key") == key &&
        point.at("sha256") == digest_of(point.at("figures"))) {
      std::vector<report::Line> lines;
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
