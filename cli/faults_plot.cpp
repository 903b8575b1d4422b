#include <algorithm>
#include <cmath>
#include <functional>

#include "faults_log_plot.hpp"
#include "faults_output.hpp"

namespace axelram::cli {
namespace {

using faults::ModelKind;

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

}  // namespace

std::string faults_plot(const faults::CampaignReport& report, const files::Config& config) {
  LogPlot plot;
  const faults::FaultModel& model = report.points.front().model;
  plot.title = "Word failures after decoding, " + config.name;
  plot.x_label = model.kind == ModelKind::burst   ? "upsets per stored key"
                 : model.kind == ModelKind::stuck ? "stuck cells per cell"
                                                  : "bit error rate";
  plot.y_label = "word failure rate";
  double low = 1, high = 0;
  for (const faults::Point& point : report.points) {
    if (point.model.rate == 0) continue;
    low = std::min(low, point.model.rate);
    high = std::max(high, point.model.rate);
  }
  if (high == 0) return plot.svg();  // nothing to show on logarithmic axes
  for (const faults::Point& point : report.points) {
    if (point.model.rate == 0) continue;
    const auto same = [&](const LogPlot::Curve& curve) { return curve.name == point.code; };
    auto curve = std::find_if(plot.curves.begin(), plot.curves.end(), same);
    if (curve == plot.curves.end()) {
      const std::function<double(double)> form = closed_form(point, config);
      LogPlot::Curve added{point.code, {}, {}};
      for (int i = 0; i <= 60; ++i) {
        const double rate = low / 2 * std::pow(std::min(1.0, high * 2) / (low / 2), i / 60.0);
        added.line.push_back({rate, form(rate)});
      }
      curve = plot.curves.insert(plot.curves.end(), added);
    }
    const faults::Statistic& s = point.at("word_failure");
    const LogPlot::Measured measured{point.model.rate, s.rate, s.interval.low, s.interval.high};
    if (curve->points.empty() || curve->points.back().x != measured.x)
      curve->points.push_back(measured);
  }
  return plot.svg();
}

}  // namespace axelram::cli
