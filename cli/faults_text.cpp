#include "faults_text.hpp"

#include "axelram/faults/text.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

std::string interval_text(const faults::Interval& interval) {
  if (!interval.known()) return "n/a";
  return short_number(interval.low) + " .. " + short_number(interval.high);
}

std::string rate_text(const faults::Point& point) {
  return point.model.kind == faults::ModelKind::single_flip ? "-" : short_number(point.model.rate);
}

std::string verdict_of(const faults::Statistic& s) {
  return s.p_value ? verdict(s.holds) : "not tested";
}

bool same_words(const faults::Point& a, const faults::Point& b) {
  return a.code == b.code && a.model.rate == b.model.rate;
}

std::string words_text(const std::vector<faults::Point>& points) {
  std::vector<std::vector<std::string>> rows = {
      {"code", "p", "words", "flips", "restored", "parity only", "detected", "miscorrected"}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const faults::Point& point = points[i];
    if (i > 0 && same_words(points[i - 1], point)) continue;  // the same words with another policy
    std::vector<std::string> row = {point.code, rate_text(point), std::to_string(point.codewords),
                                    std::to_string(point.sum.injected)};
    for (std::size_t o = faults::kCorrected; o <= faults::kMiscorrected; ++o)
      row.push_back(std::to_string(point.sum.words[o]));
    rows.push_back(row);
  }
  return table(rows);
}

std::string details_text(const std::vector<faults::Point>& points) {
  std::vector<std::vector<std::string>> rows = {{"code", "erasure", "p", "statistic", "met", "rate",
                                                 "95 % interval", "closed form", "p-value",
                                                 "method", ""}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const faults::Point& point = points[i];
    const bool words_shown = i > 0 && same_words(points[i - 1], point);
    for (const faults::Statistic& s : point.statistics) {
      const bool of_words =
          static_cast<std::size_t>(&s - point.statistics.data()) <= faults::kOutcomes;
      if (of_words && words_shown) continue;
      rows.push_back({point.code, of_words ? "any" : name_of(point.policy), rate_text(point),
                      s.name, short_number(s.events), short_number(s.rate),
                      interval_text(s.interval), s.expected ? short_number(*s.expected) : "n/a",
                      s.p_value ? short_number(*s.p_value) : "-", s.method, verdict_of(s)});
    }
  }
  return table(rows);
}

std::string measured_text(const faults::Statistic& s) {
  return short_number(s.rate) + " [" + interval_text(s.interval) + "]";
}

std::string expected_text(const faults::Statistic& s) {
  return s.expected ? short_number(*s.expected) : "n/a";
}

std::string failures_text(const std::vector<faults::Point>& points) {
  std::vector<std::vector<std::string>> rows = {
      {"code", "p", "word failures [95 %]", "closed form", "met", "method", ""}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0 && same_words(points[i - 1], points[i])) continue;
    const faults::Statistic& s = points[i].at("word_failure");
    rows.push_back({points[i].code, rate_text(points[i]), measured_text(s), expected_text(s),
                    short_number(s.events), s.method, verdict_of(s)});
  }
  return table(rows);
}

std::string elements_text(const std::vector<faults::Point>& points) {
  std::vector<std::vector<std::string>> rows = {{"code", "erasure", "p", "wrong indices",
                                                 "closed form", "wrong norms", "closed form",
                                                 "score error, RMS: median [95 %]", "mean"}};
  for (const faults::Point& point : points) {
    const faults::Statistic &index = point.at("index_error"), &norm = point.at("norm_error");
    const bool scored = point.scored != 0;
    rows.push_back({point.code, name_of(point.policy), rate_text(point), short_number(index.rate),
                    expected_text(index), short_number(norm.rate), expected_text(norm),
                    scored ? measured_text(point.at("score_rms_median")) : "-",
                    scored ? short_number(point.at("score_rms").rate) : "-"});
  }
  return table(rows);
}

/// One line for each statistic that does not hold.
std::string broken_text(const std::vector<faults::Point>& points) {
  std::string text;
  for (const faults::Point& point : points)
    for (const faults::Statistic& s : point.statistics)
      if (!s.holds)
        text += "DOES NOT HOLD: " + point.code + ", " + name_of(point.policy) + ", p " +
                rate_text(point) + ": " + s.name + " " + measured_text(s) + ", met " +
                short_number(s.events) + " of " + short_number(s.of) + ", closed form " +
                expected_text(s) + ", p-value " + short_number(*s.p_value) + "\n";
  return text;
}

}  // namespace

std::string faults_text(const faults::CampaignReport& report, bool details) {
  std::string text = words_text(report.points) + "\n" + failures_text(report.points) + "\n" +
                     elements_text(report.points) + "\n";
  if (details) text += details_text(report.points) + "\n";
  text += broken_text(report.points);
  std::uint64_t differed = 0;
  for (const faults::Point& point : report.points) differed += point.engine_differed;
  if (differed != 0)
    text += "ENGINE DIFFERS from the bit contract in " + std::to_string(differed) + " trials\n";
  return text + "statistics agree with their closed forms (" + std::to_string(report.tested) +
         " tests, family-wise level 0.001): " + verdict(report.holds()) + "\n";
}

}  // namespace axelram::cli
