#include <cmath>

#include "axelram/fast.hpp"
#include "axelram/run/golden.hpp"
#include "sections.hpp"

namespace axelram::commands::sheet {
namespace {

report::ScoreErrors errors_of(const files::Config& config, const files::Trace& trace) {
  return report::score_errors(config, trace, run::golden(config, trace, fast_units()));
}

/// Standard deviation of the errors for queries that do not depend on the keys. The quantizer
/// leaves a part D of the energy of a key, of which an unbiased norm makes D / (1 - D); a query
/// meets it from any direction. Nothing where no closed form is known.
std::optional<double> theory_of(const Facts& facts) {
  const Parameters& p = facts.config.parameters;
  const report::Line* distortion = facts.find("distortion_theory_sphere");
  if (distortion == nullptr || p.two_parts() || p.copies() != 0) return std::nullopt;
  const auto* left = std::get_if<double>(&distortion->value);
  if (left == nullptr) return std::nullopt;
  return std::sqrt(p.scale == ScaleKind::unbiased ? *left / (1 - *left) : *left);
}

std::string error_text(const report::ScoreErrors& errors, const std::optional<double>& theory) {
  std::string text =
      "Score minus exact score, divided by |q| |k| / √d, the spread of exact scores of random "
      "vectors: mean " +
      rough_text(errors.mean) + ", standard deviation " + rough_text(errors.standard_deviation) +
      ", largest " + rough_text(errors.largest) + ", of " + std::to_string(errors.pairs) +
      " pairs.";
  if (errors.outside > 0)
    text += " " + std::to_string(errors.outside) + " of them lie beyond the bins.";
  if (theory)
    return text +
           " The curve is the normal distribution of theory, for queries that do not depend on "
           "the keys: standard deviation " +
           rough_text(*theory) + ".";
  return text + " No closed form is known for this macro.";
}

Diagram histogram_of(const Facts& facts, const report::ScoreErrors& errors,
                     const std::string& data) {
  const std::optional<double> theory = theory_of(facts);
  return {"Errors of scores, " + data, error_text(errors, theory), report::Method::measured,
          Histogram{errors, theory}};
}

Diagram levels_of(const Facts& facts) {
  Levels levels;
  for (const report::Line& line : facts.lines)
    if (line.unit == "mean square" && line.method != report::Method::not_available)
      levels.figures.push_back(line);
  return {"Distortion of a coordinate",
          "Mean squared error of a coordinate of rotated keys, scaled to unit mean square: theory, "
          "measurements, and the bounds of any quantizer of as many bits.",
          report::Method::measured, levels};
}

}  // namespace

Section accuracy_section(const Facts& facts) {
  const bool traced = facts.trace && facts.trace->key_count() * facts.trace->query_count() > 0;
  Section section{"accuracy",
                  "Accuracy",
                  traced ? "Scores of the trace, and of Gaussian keys, against exact ones in FP64."
                         : "Scores of Gaussian keys and queries against exact ones in FP64. With a "
                           "trace, this page has its figures too.",
                  {}};
  if (traced) {
    const report::ScoreErrors errors = errors_of(facts.config, *facts.trace);
    if (!errors.counts.empty()) section.parts.push_back(histogram_of(facts, errors, "trace"));
  }
  const report::GaussianTest test = report::gaussian_test(facts.config);
  section.parts.push_back(histogram_of(facts, errors_of(test.config, test.trace), "Gaussian data"));
  section.parts.push_back(levels_of(facts));
  for (Part& part : figures_at(facts, Place::accuracy)) section.parts.push_back(std::move(part));
  return section;
}

}  // namespace axelram::commands::sheet
