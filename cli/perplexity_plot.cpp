#include <algorithm>

#include "perplexity_report.hpp"
#include "svg.hpp"

namespace axelram::cli {
namespace {

constexpr double kLeft = 80, kTop = 40, kWidth = 520, kHeight = 320;

/// A linear axis with room above and below.
struct Scale {
  double low, high;
  double at(double value) const { return kTop + kHeight * (high - value) / (high - low); }
};

Scale scale_of(const PerplexityReport& r, const PerplexityReport::Spread& spread) {
  double low = r.baseline.perplexity(), high = low;
  const auto include = [&](double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const PerplexityRun& run : r.runs) include(run.scores.perplexity());
  if (spread.interval.known()) {
    include(spread.interval.low);
    include(spread.interval.high);
  }
  const double room = std::max(high - low, 1e-3 * high) / 10;
  return {low - room, high + room};
}

std::string line(double y, const char* style, const std::string& name) {
  return format("<path d=\"M%.1f %.1fH%.1f\" %s/>\n", kLeft, y, kLeft + kWidth, style) +
         format("<text x=\"%.1f\" y=\"%.1f\">", kLeft + kWidth + 6, y + 4) + name + "</text>\n";
}

}  // namespace

std::string perplexity_plot(const PerplexityReport& r) {
  const PerplexityReport::Spread spread = r.spread(perplexity_of);
  const Scale y = scale_of(r, spread);
  std::string svg = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kLeft + kWidth + 90, kTop + kHeight + 50);
  svg += format("<text x=\"%.1f\" y=\"20\">", kLeft) + escaped(r.cache) + "</text>\n";
  for (int tick = 0; tick <= 4; ++tick) {
    const double value = y.low + (y.high - y.low) * tick / 4;
    svg += format("<path d=\"M%.1f %.1fH%.1f\" stroke=\"#eee\"/>\n", kLeft, y.at(value),
                  kLeft + kWidth);
    svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n", kLeft - 6,
                  y.at(value) + 4, value);
  }
  if (spread.interval.known())
    svg += format(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#0072b2\" "
        "opacity=\"0.15\"/>\n",
        kLeft, y.at(spread.interval.high), kWidth,
        y.at(spread.interval.low) - y.at(spread.interval.high));
  svg += line(y.at(r.baseline.perplexity()), "stroke=\"#000\" stroke-dasharray=\"5 4\"",
              r.baseline_cache);
  svg += line(y.at(spread.mean), "stroke=\"#0072b2\"", "mean");
  for (std::size_t i = 0; i < r.runs.size(); ++i) {
    const double x =
        kLeft + kWidth * (static_cast<double>(i) + 0.5) / static_cast<double>(r.runs.size());
    svg += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#d55e00\"/>\n", x,
                  y.at(r.runs[i].scores.perplexity()));
    if (r.runs[i].seed)
      svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%llu</text>\n", x,
                    kTop + kHeight + 18, static_cast<unsigned long long>(*r.runs[i].seed));
  }
  svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">seed</text>\n",
                kLeft + kWidth / 2, kTop + kHeight + 40);
  svg += format(
      "<text transform=\"translate(18 %.1f) rotate(-90)\" text-anchor=\"middle\">perplexity"
      "</text>\n</svg>\n",
      kTop + kHeight / 2);
  return svg;
}

}  // namespace axelram::cli
