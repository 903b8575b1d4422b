#pragma once

#include <string>
#include <vector>

namespace axelram::cli {

/// Curves and measured points on two logarithmic axes, as SVG. Values of zero or less are left out;
/// an interval that reaches down to zero is drawn to the bottom.
struct LogPlot {
  struct Place {
    double x, y;
  };
  struct Measured {
    double x, y, low, high;
  };
  struct Curve {
    std::string name;
    std::vector<Place> line;
    std::vector<Measured> points;
  };

  std::string title, x_label, y_label;
  std::vector<Curve> curves;

  std::string svg() const;
};

}  // namespace axelram::cli
