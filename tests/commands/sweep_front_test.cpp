#include <algorithm>
#include <random>

#include "check.hpp"
#include "sweep/pareto.hpp"

using namespace axelram;
using namespace axelram::commands;

namespace {

SweepResult table_of(const std::vector<std::pair<double, double>>& places) {
  SweepResult result;
  result.columns = {{"x", ""}, {"y", ""}};
  for (const auto& [x, y] : places) {
    SweepRow row;
    row.figures.resize(2);
    row.figures[0].value = x;
    if (y >= 0) row.figures[1].value = static_cast<std::uint64_t>(y);
    result.rows.push_back(row);
  }
  return result;
}

sweeps::Pareto pareto_of(bool x_highest, bool y_highest) {
  sweeps::Pareto pareto;
  pareto.x.text = "x";
  pareto.y.text = "y";
  pareto.x_highest = x_highest;
  pareto.y_highest = y_highest;
  return pareto;
}

TEST_CASE("sweep: a front is what no other row beats, with ties and rows without a figure") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    CASE(round);
    std::vector<std::pair<double, double>> places;
    for (int i = 0; i < 12; ++i)  // few values, so that many are equal; -1: n/a
      places.emplace_back(random() % 5, static_cast<double>(random() % 6) - 1);
    const SweepResult result = table_of(places);
    for (const bool x_highest : {false, true})
      for (const bool y_highest : {false, true}) {
        CASE(x_highest, y_highest);
        const double sx = x_highest ? -1 : 1, sy = y_highest ? -1 : 1;
        std::vector<std::size_t> expected;
        for (std::size_t i = 0; i < places.size(); ++i) {
          const auto [x, y] = places[i];
          const bool beaten = std::any_of(places.begin(), places.end(), [&](const auto& other) {
            return other.second >= 0 && sx * other.first <= sx * x && sy * other.second <= sy * y &&
                   (other.first != x || other.second != y);
          });
          if (y >= 0 && !beaten) expected.push_back(i);
        }
        std::stable_sort(expected.begin(), expected.end(), [&](std::size_t a, std::size_t b) {
          return sx * places[a].first < sx * places[b].first;
        });
        CHECK_SAME(sweeps::front_rows(result, pareto_of(x_highest, y_highest)), expected);
      }
  }
  CHECK(sweeps::front_rows({}, pareto_of(false, false)).empty());
}

TEST_CASE("sweep: the plot of a front goes in steps") {
  SweepResult result = table_of({{1, 5}, {2, 3}, {3, 9}});
  result.name = "s.yaml";
  result.keys = {"macro.index_bits"};
  for (SweepRow& row : result.rows) row.settings = {"2"};
  result.rows[2].settings = {"3"};
  sweeps::Pareto pareto = pareto_of(false, false);
  pareto.series.text = "macro.index_bits";
  const SweepFront front{"x", "y", false, false, sweeps::front_rows(result, pareto), ""};
  const Plot plot = sweeps::pareto_plot(result, front, pareto);
  REQUIRE(plot.series.size() == 3);
  CHECK(plot.series[0].name == "macro.index_bits 2");
  CHECK(plot.series[0].points.size() == 2);
  CHECK(plot.series[0].points[1].label == "2");
  CHECK(plot.series[1].points[0].label.empty());
  CHECK_SAME(plot.series[2].line, std::vector<std::pair<double, double>>{{1, 5}, {2, 5}, {2, 3}});
}

TEST_CASE("sweep: an axis with a figure of 0 is linear, and says so") {
  SweepResult result = table_of({{0, 5}, {2, 3}, {-1, -1}});
  sweeps::Pareto pareto = pareto_of(false, false);
  pareto.x_log = pareto.y_log = true;
  const SweepFront front{"x", "y", false, false, sweeps::front_rows(result, pareto), ""};
  const Plot plot = sweeps::pareto_plot(result, front, pareto);
  CHECK(plot.x.scale == Plot::Scale::linear);
  CHECK(plot.y.scale == Plot::Scale::log);
  CHECK(plot.series[0].points.size() == 2);
  CHECK(plot.notes.back() == "x is linear, not log: row 1 is not above 0");
}

TEST_CASE("sweep: rows at one place of a front have one label") {
  const SweepResult result = table_of({{1, 5}, {2, 3}, {1, 5}, {2, 4}, {1, 5}});
  const sweeps::Pareto pareto = pareto_of(false, false);
  const SweepFront front{"x", "y", false, false, sweeps::front_rows(result, pareto), ""};
  const Plot plot = sweeps::pareto_plot(result, front, pareto);
  std::vector<std::string> labels;
  for (const Plot::Point& point : plot.series[0].points) labels.push_back(point.label);
  CHECK_SAME(labels, std::vector<std::string>{"1 and 2 more", "2", "", "", ""});
}

}  // namespace
