#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "sram/estimate.hpp"

namespace axelram::report {
namespace {

using files::PublishedPoint;
using Member = std::optional<double> PublishedPoint::*;

/// Two points that give a figure, or one of this number of words twice.
struct Bracket {
  const PublishedPoint* low;
  const PublishedPoint* high;
};

/// The points around `words`, or the nearest two.
Bracket bracket_of(const std::vector<const PublishedPoint*>& points, std::uint64_t words) {
  for (const PublishedPoint* point : points)
    if (point->words == words) return {point, point};
  std::size_t high = 1;
  while (high + 1 < points.size() && points[high]->words < words) ++high;
  return {points[high - 1], points[high]};
}

/// The line through two points in the logarithms.
double between(const Bracket& points, Member figure, std::uint64_t words) {
  const double low = *(points.low->*figure), high = *(points.high->*figure);
  if (points.low == points.high) return low;
  const auto ratio = [&](std::uint64_t number) {
    return std::log(static_cast<double>(number) / static_cast<double>(points.low->words));
  };
  return low * std::pow(high / low, ratio(words) / ratio(points.high->words));
}

std::string how(const Bracket& points, std::uint64_t words) {
  if (points.low == points.high) return points.low->name;
  const std::string both = points.low->name + " and " + points.high->name;
  if (words > points.low->words && words < points.high->words)
    return "interpolated between " + both;
  const bool beyond = words > points.high->words;
  const double factor = beyond
                            ? static_cast<double>(words) / static_cast<double>(points.high->words)
                            : static_cast<double>(points.low->words) / static_cast<double>(words);
  char text[48];
  std::snprintf(text, sizeof text, "%.3g times the words of ", factor);
  return "extrapolated from " + both + ": " + (beyond ? text : std::string("1/") + text) +
         (beyond ? points.high : points.low)->name;
}

std::string decimal(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

}  // namespace

SramEstimate estimate_of_table(const files::PublishedTable& table, const SramShape& shape) {
  const PublishedPoint& any = table.points.front();
  const int arrays = (shape.bits + any.bits - 1) / any.bits;
  const std::string made = std::to_string(arrays) + (arrays == 1 ? " array" : " arrays") + " of " +
                           std::to_string(shape.words) + " x " + std::to_string(any.bits) + " bits";
  const std::string process =
      std::to_string(any.node) + " nm, " + decimal(any.voltage) + " V, " + table.source;

  const auto figure = [&](Member member, int factor, const std::string& counted) {
    std::vector<const PublishedPoint*> points;
    for (const PublishedPoint& point : table.points)
      if (point.*member) points.push_back(&point);
    if (points.empty()) return files::SourceFigure{{}, "not given by a point: " + process};
    if (points.size() == 1 && points.front()->words != shape.words)
      return files::SourceFigure{{},
                                 "given by " + points.front()->name + " alone, for " +
                                     std::to_string(points.front()->words) + " words: " + process};
    const Bracket bracket = bracket_of(points, shape.words);
    std::string source = bracket.low->source;
    if (bracket.high->source != source) source += " and " + bracket.high->source;
    std::string remark = port_remark(bracket.low->ports);
    if (remark.empty()) remark = port_remark(bracket.high->ports);
    return files::SourceFigure{
        factor * between(bracket, member, shape.words),
        counted + how(bracket, shape.words) + "; " + source + ", " + process + remark};
  };

  SramEstimate sram;
  sram.tiles = static_cast<std::uint64_t>(arrays);
  sram.tiles_note = made + " for " + std::to_string(shape.bits) + " bits; " + process;
  sram.area = figure(&PublishedPoint::area, arrays, made + ", ");
  sram.read = figure(&PublishedPoint::read, arrays, made + ", ");
  sram.write = figure(&PublishedPoint::write, arrays, made + ", ");
  sram.access = figure(&PublishedPoint::access, 1, "one of " + made + ", ");
  sram.leakage = figure(&PublishedPoint::leakage, arrays, made + ", ");
  return sram;
}

}  // namespace axelram::report
