#pragma once

#include <string>
#include <utility>
#include <vector>

#include "axelram/commands/faults.hpp"
#include "axelram/commands/perplexity.hpp"
#include "axelram/faults/intervals.hpp"

namespace axelram::commands {

/// A plot as data. scripts/plot draws it and describes its JSON form.
struct Plot {
  enum class Scale { linear, log, category };
  struct Axis {
    std::string label;
    Scale scale = Scale::linear;
    std::vector<std::string> categories = {};  ///< texts at 0, 1, 2, ... of a category axis
  };
  struct Point {
    double x, y;
    faults::Interval interval = faults::Interval::none();
    std::string label = {};  ///< beside the point
  };
  struct Series {
    std::string name;
    std::vector<std::pair<double, double>> line = {};
    std::vector<Point> points = {};
  };
  struct Level {
    std::string name;
    double y;
    bool dashed;
  };
  struct Band {
    std::string name;
    faults::Interval interval;
  };

  std::string title;
  Axis x, y;
  std::vector<Series> series = {};
  std::vector<Level> levels = {};  ///< horizontal lines
  std::vector<Band> bands = {};    ///< horizontal bands
  std::vector<std::string> notes = {};
};

/// Word failure rate against the fault rate on logarithmic axes: closed forms as lines,
/// measurements as points with their intervals. Values of 0 are left out.
Plot faults_plot(const faults::CampaignReport& report, const files::Config& config);

/// Perplexities of the runs as points, with their mean, its interval and the baseline.
Plot perplexity_plot(const PerplexityResult& result);

/// The description that scripts/plot reads. Values that are not finite are null.
std::string plot_json(const Plot& plot);

/// Checks that write_plot() can write this file, before long work. "" stands for no file. Throws
/// files::InputError for an ending other than .svg, .png, .pdf and .json, files::EnvironmentError
/// if python3 or matplotlib is missing.
void check_plot(const std::string& path);

constexpr const char* kWithoutPython = "give a file that ends in .json";

/// Draws the plot in the format of the file's ending; .json writes the description. Throws
/// files::EnvironmentError if the plot cannot be drawn, with what works without python3.
void write_plot(const std::string& path, const Plot& plot, bool force,
                const std::string& otherwise = kWithoutPython);

}  // namespace axelram::commands
