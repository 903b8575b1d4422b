#include <algorithm>
#include <cmath>

#include "axelram/faults/profiles.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/rtl/layout.hpp"
#include "sections.hpp"

namespace axelram::commands::sheet {
namespace {

using faults::WordProfile;

std::string percent(double part) { return rough_text(100 * part) + " %"; }

/// Of all errors of `weight` bits, those that end so.
double part_of(const faults::WeightCounts& outcome, const Code& code, int weight) {
  return outcome[static_cast<std::size_t>(weight)] / faults::choose(code.n, weight);
}

int minimum_distance(const Code& code) {
  const faults::WeightCounts codewords =
      faults::coset_weights(faults::columns_of(code), code.check_bits())[0];
  for (int weight = 1; weight <= code.n; ++weight)
    if (codewords[static_cast<std::size_t>(weight)] != 0) return weight;
  return code.n;
}

std::string detection_text(const WordProfile& profile, const Code& code) {
  const int weight = code.correctable + 1;
  const double detected = part_of(profile.detected, code, weight);
  const std::string bits = std::to_string(weight) + " wrong bits";
  if (detected == 1) return "every error of " + bits;
  return (detected == 0 ? "no error of " + bits : percent(detected) + " of the errors of " + bits);
}

Table promises_table(const Facts& facts, const Code& code, const WordProfile& profile) {
  const rtl::Layout layout(facts.config);
  const files::Ecc& ecc = facts.config.ecc;
  const int record = facts.config.parameters.record_bits();
  Table table{"Promises", report::Method::counted, {{"property", false}, {"value", false}}, {}};
  const auto add = [&](const std::string& name, const std::string& value) {
    table.rows.push_back({name, value});
  };
  const int t = code.correctable;
  add("code", code.name + ": " + std::to_string(code.k) + " data bits in a word of " +
                  std::to_string(code.n));
  add("minimum distance", std::to_string(minimum_distance(code)));
  add("corrects", t == 1 ? "every wrong bit of a word"
                         : "every error of up to " + std::to_string(t) + " wrong bits of a word");
  add("detects", detection_text(profile, code));
  add("words of a record", std::to_string(layout.code_words) + ", decoded in the same cycle");
  add("stored bits",
      std::to_string(layout.stored_bits) + " for a record of " + std::to_string(record));
  add("overhead", percent(static_cast<double>(layout.stored_bits - record) / record));
  add("a key is stored later by", std::to_string(layout.encode_cycles) + " cycles");
  add("a score is valid later by", std::to_string(layout.decode_cycles) + " cycles");
  add("ready after reset", std::to_string(layout.release_cycles + layout.reset_cycles) +
                               " cycles, in which the memory is initialised");
  add("write-back",
      "a read that corrects a word writes its record back, unless "
      "ecc_write_back_i was loaded as 0");
  add("scrubber", ecc.scrub_interval == 0 ? "none"
                                          : "a record every " + std::to_string(ecc.scrub_interval) +
                                                " cycles, in cycles without a read of a query");
  return table;
}

/// Outcomes by the number of wrong bits of a word.
Table outcomes_table(const Code& code, const WordProfile& profile) {
  Table table{
      "Words with wrong bits",
      report::Method::counted,
      {{"wrong bits", true}, {"corrected", true}, {"detected", true}, {"miscorrected", true}},
      {}};
  const int most = std::min(code.n, code.correctable + 5);
  for (int weight = 1; weight <= most; ++weight)
    table.rows.push_back({std::to_string(weight),
                          percent(part_of(profile.corrected, code, weight) +
                                  part_of(profile.parity_only, code, weight)),
                          percent(part_of(profile.detected, code, weight)),
                          percent(part_of(profile.miscorrected, code, weight))});
  return table;
}

Table erasures_table(const files::Ecc& ecc) {
  Table table{"Elements of detected words",
              {},
              {{"ecc_erasure_i", false},
               {"policy", false, true},
               {"an element becomes", false},
               {"", false}},
              {}};
  for (const auto& row : EnumNames<ErasurePolicy>::rows)
    table.rows.push_back({std::to_string(static_cast<int>(row.value)), std::string(row.name),
                          std::string(row.help), row.value == ecc.erasure ? "after reset" : ""});
  return table;
}

/// Probability that at least one of `count` independent parts fails.
double any_of_parts(double probability, double count) {
  return -std::expm1(count * std::log1p(-std::min(probability, 1 - 1e-12)));
}

Diagram failures_of(const Facts& facts, const WordProfile& profile) {
  const rtl::Layout layout(facts.config);
  Curves curves{"bit error rate",
                "records",
                {{"without a code: a wrong bit", {}},
                 {"a word not restored", {}},
                 {"a word wrong and not detected", {}}}};
  const faults::WeightCounts failed = profile.failed();
  for (int i = 0; i <= 50; ++i) {
    const double p = std::pow(10, -6 + i / 10.0);
    const auto add = [&](std::size_t series, double value) {
      if (value > 0) curves.series[series].points.emplace_back(p, value);
    };
    add(0, any_of_parts(p, facts.config.parameters.record_bits()));
    add(1, any_of_parts(failed.at(p), layout.code_words));
    add(2, any_of_parts(profile.miscorrected.at(p), layout.code_words));
  }
  return {"Records that fail", "Part of the records, by the rate of wrong bits, from closed forms.",
          report::Method::counted, curves};
}

/// Columns are what all codes have; names of lines begin with that of the code.
Matrix costs_matrix(const Facts& facts) {
  Matrix matrix{"Cost of each code in this macro", "code", {}, {}};
  const std::string heading = "cost of a code: ";
  for (const report::Line& line : facts.lines) {
    if (place_of(line) != Place::codes) continue;
    const std::string name = line.section.substr(std::min(heading.size(), line.section.size()));
    if (matrix.rows.empty() || matrix.rows.back().name != name) matrix.rows.push_back({name, {}});
    matrix.rows.back().figures.push_back(line);
  }
  if (matrix.rows.empty()) return matrix;
  // The code's name is what all lines of a row begin with.
  const std::vector<report::Line>& first = matrix.rows[0].figures;
  std::size_t common = first[0].name.size();
  for (const report::Line& line : first)
    while (line.name.compare(0, common, first[0].name, 0, common) != 0) --common;
  for (const report::Line& line : first)
    matrix.columns.push_back(spaced_name(line.name.substr(common)));
  return matrix;
}

}  // namespace

Section protection_section(const Facts& facts) {
  const bool coded = facts.config.ecc.code != "none";
  Section section{
      "protection",
      "Protection",
      coded ? "What the code promises: each record is stored in words that a read corrects."
            : "No code protects the stored records of this macro. The table has what "
              "each code would add to it.",
      {}};
  if (coded) {
    const Code code = make_code(facts.config.ecc.code);
    const WordProfile profile = faults::word_profile(code);
    section.parts = {promises_table(facts, code, profile), outcomes_table(code, profile),
                     failures_of(facts, profile), erasures_table(facts.config.ecc)};
  }
  if (Matrix costs = costs_matrix(facts); !costs.rows.empty()) section.parts.push_back(costs);
  return section;
}

}  // namespace axelram::commands::sheet
