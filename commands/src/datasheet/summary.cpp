#include <algorithm>
#include <cstdio>

#include "axelram/code.hpp"
#include "axelram/rtl/layout.hpp"
#include "sections.hpp"

namespace axelram::commands::sheet {
namespace {

std::string plural(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string plural(int count, const std::string& one) {
  return plural(static_cast<std::uint64_t>(count), one);
}

std::string rough_line(const report::Line& line) {
  const auto* value = std::get_if<double>(&line.value);
  return value == nullptr ? number_text(line) : rough_text(*value);
}

std::string record_sentence(const Facts& facts) {
  const Parameters& p = facts.config.parameters;
  const std::string d = std::to_string(p.head_dim);
  const std::string format = p.element_format == ElementFormat::fp16 ? "FP16" : "BF16";
  const std::string indices =
      p.split() ? "half of the channels get indices of " + plural(p.split_high, "bit") +
                      ", the other half of " + plural(p.split_low, "bit") + ", and each half a norm"
      : p.prod() ? d + " indices of " + plural(p.codebook_bits(), "bit") +
                       ", the signs of what they leave, and two norms"
                 : d + " indices of " + std::to_string(p.index_bits) + " bits and a norm";
  return "A macro for keys of " + d + " " + format +
         " elements. A rotated key is stored as a record of " + facts.value("bytes_per_key") +
         ": " + indices + ".";
}

std::string quantizer_sentence(const Parameters& p) {
  std::string text;
  if (p.trellis())
    text =
        " The indices of a key are chosen together, as the path of least error through a trellis "
        "of " +
        std::to_string(p.states) + " states.";
  if (p.scale == ScaleKind::unbiased) text += " The norm makes scores unbiased.";
  if (p.balanced)
    text += " Elements of keys and queries are balanced by constant powers of two of the channels.";
  if (p.centered) text += " A constant center is subtracted from every key first.";
  return text;
}

std::string exact_sentence(const Parameters& p) {
  if (p.copies() == 0) return "";
  std::string which;
  if (p.exact_first > 0)
    which = p.exact_first == 1 ? "the first token"
                               : "the first " + std::to_string(p.exact_first) + " tokens";
  if (p.exact_last > 0)
    which += (which.empty() ? "the newest " : " and the newest ") + std::to_string(p.exact_last);
  return " A query scores " + which + " from copies of their keys, without the quantizer.";
}

std::string store_sentence(const Facts& facts) {
  std::string text = " It holds " + plural(facts.config.max_keys, "key") + " in " +
                     facts.value("key_store") + " of SRAM, a compression of " +
                     rough_line(facts.line("compression"));
  text += facts.config.ecc.code == "none"
              ? ". No code protects the records."
              : " with the check bits of the code " + facts.config.ecc.code + ", which corrects " +
                    (make_code(facts.config.ecc.code).correctable == 1
                         ? std::string("a wrong bit")
                         : "up to " + std::to_string(make_code(facts.config.ecc.code).correctable) +
                               " wrong bits") +
                    " in each word of " + std::to_string(make_code(facts.config.ecc.code).n) + ".";
  return text;
}

std::string pace_sentence(const Facts& facts) {
  const rtl::Layout layout(facts.config);
  const auto every = [](int cycles) {
    return cycles == 1 ? std::string("every cycle") : "every " + std::to_string(cycles) + " cycles";
  };
  return " A key enters " + every(layout.key_interval) + " and is stored " +
         plural(layout.store_cycles, "cycle") + " after its last beat. A query is rotated" +
         (facts.config.microarchitecture.score_lane == files::ScoreLane::multiplier
              ? " in "
              : ", and its table built, in ") +
         plural(layout.rows + layout.rotate_cycles + layout.build_cycles, "cycle") +
         "; then it gives a score " + every(layout.read_rows) + ".";
}

std::string accuracy_sentence(const Facts& facts) {
  const report::Line* error = facts.find("trace_score_relative_rms_error");
  const report::Line* correlation = facts.find("trace_score_correlation");
  if (error == nullptr || correlation == nullptr)
    return " On Gaussian keys and queries, scores have a relative RMS error of " +
           rough_line(facts.line("gaussian_score_relative_rms_error")) + ".";
  if (error->method == report::Method::not_available) return "";
  return " On the trace, scores have a relative RMS error of " + rough_line(*error) +
         " and a correlation of " + rough_line(*correlation) + " with exact ones.";
}

}  // namespace

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string rough_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string number_text(const report::Line& line) {
  if (const auto* whole = std::get_if<std::uint64_t>(&line.value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&line.value)) return number_text(*real);
  return "n/a";
}

std::string spaced_name(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string summary_of(const Facts& facts) {
  const Parameters& p = facts.config.parameters;
  return record_sentence(facts) + quantizer_sentence(p) + exact_sentence(p) +
         store_sentence(facts) + pace_sentence(facts) + accuracy_sentence(facts);
}

std::vector<Highlight> highlights_of(const Facts& facts) {
  const bool traced = facts.find("trace_score_correlation") != nullptr;
  const std::pair<const char*, const char*> chosen[] = {
      {"for a key", "bytes_per_key"},
      {"less than 16-bit floats", "compression"},
      {"of SRAM for the keys", "key_store"},
      {"from a key to the next", "key_interval_cycles"},
      {"from one score to the next", "key_read_interval_cycles"},
      {"fewer multiplications of a query", "multiplication_reduction"},
      {"distortion of a coordinate", traced ? "trace_distortion" : "gaussian_distortion"},
      traced ? std::pair("correlation with exact scores", "trace_score_correlation")
             : std::pair("relative RMS error of scores", "gaussian_score_relative_rms_error")};
  std::vector<Highlight> highlights;
  for (const auto& [label, name] : chosen) highlights.push_back({label, facts.line(name)});
  return highlights;
}

}  // namespace axelram::commands::sheet
