#include "plot.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "axelram/files/atomic_file.hpp"
#include "scripts.hpp"

namespace axelram::commands {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kEndings[] = {".svg", ".png", ".pdf", ".json"};

std::string scale_name(Plot::Scale scale) {
  switch (scale) {
    case Plot::Scale::linear:
      return "linear";
    case Plot::Scale::log:
      return "log";
    case Plot::Scale::category:
      return "category";
  }
  throw std::logic_error("a scale has no name");
}

Json axis_json(const Plot::Axis& axis) {
  Json json = {{"label", axis.label}, {"scale", scale_name(axis.scale)}};
  if (axis.scale == Plot::Scale::category) json["categories"] = axis.categories;
  return json;
}

Json series_json(const Plot::Series& series) {
  Json points = Json::array();
  for (const Plot::Point& point : series.points) {
    points.push_back({{"x", point.x},
                      {"y", point.y},
                      {"low", point.interval.low},
                      {"high", point.interval.high}});
    if (!point.label.empty()) points.back()["label"] = point.label;
  }
  return {{"name", series.name}, {"line", series.line}, {"points", points}};
}

}  // namespace

std::string plot_json(const Plot& plot) {
  Json series = Json::array(), levels = Json::array(), bands = Json::array();
  for (const Plot::Series& one : plot.series) series.push_back(series_json(one));
  for (const Plot::Level& level : plot.levels)
    levels.push_back(
        {{"name", level.name}, {"y", level.y}, {"style", level.dashed ? "dashed" : "solid"}});
  for (const Plot::Band& band : plot.bands)
    bands.push_back(
        {{"name", band.name}, {"low", band.interval.low}, {"high", band.interval.high}});
  const Json json = {{"title", plot.title}, {"x", axis_json(plot.x)}, {"y", axis_json(plot.y)},
                     {"series", series},    {"levels", levels},       {"bands", bands},
                     {"notes", plot.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void check_plot(const std::string& path) {
  if (path.empty()) return;
  const std::string ending = fs::path(path).extension().string();
  if (std::find(std::begin(kEndings), std::end(kEndings), ending) == std::end(kEndings))
    throw files::InputError(path + ": a plot ends in .svg, .png, .pdf or .json");
  if (ending != ".json") run_script("plot", {"--check"}, kWithoutPython);
}

void write_plot(const std::string& path, const Plot& plot, bool force,
                const std::string& otherwise) {
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".json") return files::write_file(path, plot_json(plot), force);
  files::write_file(path, made_by({"plot", "plot" + ending, otherwise}, plot_json(plot)), force);
}

}  // namespace axelram::commands
