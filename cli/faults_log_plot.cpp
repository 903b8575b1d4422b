#include "faults_log_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "svg.hpp"

namespace axelram::cli {
namespace {

constexpr double kLeft = 80, kTop = 44, kWidth = 520, kHeight = 400, kRight = 150, kBottom = 56;

// Okabe and Ito's colours, told apart also by the colour-blind.
constexpr std::array<const char*, 8> kColours = {"#000000", "#d55e00", "#0072b2", "#009e73",
                                                 "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"};

std::string label(double x, double y, const char* anchor, const std::string& text,
                  const char* more = "") {
  return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, more) +
         escaped(text) + "</text>\n";
}

/// Whole decades of one axis.
struct Axis {
  int first = 0, last = -1;

  void include(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    const double decades = std::log10(value);
    const int low = static_cast<int>(std::floor(decades + 1e-9));
    const int high = static_cast<int>(std::ceil(decades - 1e-9));
    first = last < first ? low : std::min(first, low);
    last = std::max({last, high, first + 1});
  }
  /// 0 at the low end, 1 at the high end; what lies outside is clipped.
  double at(double value) const {
    return (std::log10(std::max(value, 1e-300)) - first) / (last - first);
  }
  int step() const { return std::max(1, (last - first + 9) / 10); }
};

class Canvas {
 public:
  Canvas(const Axis& x, const Axis& y) : x_(x), y_(y) {}

  double x(double value) const { return kLeft + kWidth * x_.at(value); }
  double y(double value) const { return kTop + kHeight * (1 - y_.at(value)); }

  std::string grid() const {
    std::string text;
    const auto decade = [](int exponent) {
      return "10<tspan dy=\"-5\" font-size=\"9\">" + std::to_string(exponent) + "</tspan></text>\n";
    };
    for (int e = x_.first; e <= x_.last; e += x_.step()) {
      const double at = x(std::pow(10.0, e));
      text += format("<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>", at, kTop, kTop + kHeight);
      text +=
          format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", at, kTop + kHeight + 20) +
          decade(e);
    }
    for (int e = y_.first; e <= y_.last; e += y_.step()) {
      const double at = y(std::pow(10.0, e));
      text += format("<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>", kLeft, at, kLeft + kWidth);
      text +=
          format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", kLeft - 8, at + 4) + decade(e);
    }
    return text + format(
                      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
                      "stroke=\"#333\"/>\n",
                      kLeft, kTop, kWidth, kHeight);
  }

  std::string curve(const LogPlot::Curve& curve, const char* colour) const {
    std::string path;
    for (const LogPlot::Place& place : curve.line)
      if (place.y > 0)
        path += format("%s%.1f %.1f", path.empty() ? "M" : "L", x(place.x), y(place.y));
    std::string text =
        format("<g stroke=\"%s\" fill=\"%s\">\n", colour, colour) +
        (path.empty() ? "" : "<path d=\"" + path + "\" fill=\"none\" stroke-width=\"1.5\"/>\n");
    for (const LogPlot::Measured& point : curve.points) {
      if (!(point.y > 0)) continue;
      const double at = x(point.x);
      text += format("<path d=\"M%.1f %.1fV%.1fM%.1f %.1fh6M%.1f %.1fh6\"/>", at, y(point.low),
                     y(point.high), at - 3, y(point.low), at - 3, y(point.high));
      text += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", at, y(point.y));
    }
    return text + "</g>\n";
  }

 private:
  Axis x_, y_;
};

}  // namespace

std::string LogPlot::svg() const {
  Axis x_axis, y_axis;
  for (const Curve& curve : curves) {
    for (const Place& place : curve.line) x_axis.include(place.x);
    for (const Measured& point : curve.points) {
      y_axis.include(point.y);
      y_axis.include(point.high);
    }
  }
  for (Axis* axis : {&x_axis, &y_axis})
    if (axis->last <= axis->first) *axis = {-1, 0};
  const Canvas canvas(x_axis, y_axis);
  std::string text = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kLeft + kWidth + kRight, kTop + kHeight + kBottom);
  text += label(kLeft, 24, "start", title, " font-size=\"15\"") + canvas.grid();
  text += label(kLeft + kWidth / 2, kTop + kHeight + 44, "middle", x_label);
  text += label(-(kTop + kHeight / 2), 20, "middle", y_label, " transform=\"rotate(-90)\"");
  text += format(
      "<clipPath id=\"frame\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
      "height=\"%.1f\"/></clipPath>\n<g clip-path=\"url(#frame)\">\n",
      kLeft, kTop, kWidth, kHeight);
  for (std::size_t i = 0; i < curves.size(); ++i)
    text += canvas.curve(curves[i], kColours[i % kColours.size()]);
  text += "</g>\n";
  double at = kTop + 10;
  for (std::size_t i = 0; i < curves.size(); ++i, at += 20) {
    const char* const colour = kColours[i % kColours.size()];
    text += format(
        "<path d=\"M%.1f %.1fh24\" stroke=\"%s\" stroke-width=\"1.5\"/>"
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>",
        kLeft + kWidth + 12, at, colour, kLeft + kWidth + 24, at, colour);
    text += label(kLeft + kWidth + 42, at + 4, "start", curves[i].name);
  }
  text += label(kLeft + kWidth + 12, at + 12, "start", "line: closed form");
  text += label(kLeft + kWidth + 12, at + 28, "start", "point: measured, 95 %");
  return text + "</svg>\n";
}

}  // namespace axelram::cli
