#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "plot.hpp"

namespace axelram::commands {
namespace {

using faults::ModelKind;

std::string rate_label(ModelKind kind) {
  switch (kind) {
    case ModelKind::bsc:
      return "bit error rate";
    case ModelKind::burst:
      return "upsets per stored key";
    case ModelKind::stuck:
      return "stuck cells per cell";
    case ModelKind::single_flip:
      return "single flips";
  }
  throw std::logic_error("a fault model has no rate");
}

/// Word failure rate of a code at any rate of the model, from the closed form.
std::function<double(double)> closed_form(const faults::Point& point, const files::Config& config) {
  if (point.model.kind == ModelKind::burst) {  // proportional to the rate of upsets
    const double slope = *point.at("word_failure").expected / point.model.rate;
    return [=](double rate) { return slope * rate; };
  }
  const faults::RecordCode code(point.code, config.parameters);
  const faults::WeightCounts failed = faults::word_profile(code.code()).failed();
  const double part = point.model.kind == ModelKind::stuck ? 0.5 : 1;
  return [=](double rate) { return failed.at(rate * part); };
}

/// The series of a code; a new one has its closed form from low / 2 to high * 2.
Plot::Series& series_of(Plot* plot, const faults::Point& point, const files::Config& config,
                        double low, double high) {
  const auto same = [&](const Plot::Series& series) { return series.name == point.code; };
  const auto found = std::find_if(plot->series.begin(), plot->series.end(), same);
  if (found != plot->series.end()) return *found;
  const std::function<double(double)> form = closed_form(point, config);
  Plot::Series& added = plot->series.emplace_back(Plot::Series{point.code});
  for (int i = 0; i <= 60; ++i) {
    const double rate = low / 2 * std::pow(std::min(1.0, high * 2) / (low / 2), i / 60.0);
    added.line.emplace_back(rate, form(rate));
  }
  return added;
}

}  // namespace

Plot faults_plot(const faults::CampaignReport& report, const files::Config& config) {
  Plot plot;
  plot.title = "Word failures after decoding, " + config.name;
  plot.x = {rate_label(report.points.front().model.kind), Plot::Scale::log};
  plot.y = {"word failure rate", Plot::Scale::log};
  plot.notes = {"line: closed form", "marker: measured, 95 %"};
  double low = 1, high = 0;
  for (const faults::Point& point : report.points) {
    if (point.model.rate == 0) continue;  // no place on a logarithmic axis
    low = std::min(low, point.model.rate);
    high = std::max(high, point.model.rate);
  }
  for (const faults::Point& point : report.points) {
    if (point.model.rate == 0) continue;
    Plot::Series& series = series_of(&plot, point, config, low, high);
    const faults::Statistic& s = point.at("word_failure");
    // The policies of a code and rate have the same words.
    if (series.points.empty() || series.points.back().x != point.model.rate)
      series.points.push_back({point.model.rate, s.rate, s.interval});
  }
  return plot;
}

}  // namespace axelram::commands
