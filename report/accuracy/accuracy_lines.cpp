#include "accuracy/accuracy_lines.hpp"

#include <cmath>
#include <numbers>

#include "axelram/codebook.hpp"
#include "axelram/fast.hpp"
#include "axelram/report/accuracy.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/run/golden.hpp"

namespace axelram::report {
namespace {

void add_distortion(const std::string& prefix, const KeyDistortion& distortion,
                    const std::string& data, Section* section) {
  section->figure(prefix + "_distortion", distortion.exact, "mean square", Method::measured,
                  "rotated keys scaled to unit mean square, exact centroids; " + data);
  section->figure(prefix + "_distortion_rom", distortion.stored, "mean square", Method::measured,
                  "the same with the ROM's centroids; " + data);
}

}  // namespace

void add_gaussian_accuracy(const files::Config& config, Lines* lines) {
  const Parameters& p = config.parameters;
  // With a split the mean of both codebooks.
  const int parts = p.split() ? 2 : 1;
  double lower = 0, gaussian = 0, sphere = 0;
  for (int j = 0; j < parts; ++j) {
    const Parameters part = rtl::part_parameters(p, j);
    lower += std::pow(4.0, -part.codebook_bits()) / parts;
    if (p.trellis()) continue;
    const Codebook codebook = solve_codebook(p.codebook, part.head_dim, part.codebook_bits());
    gaussian += distortion(codebook, CodebookKind::gaussian, part.head_dim) / parts;
    sphere += distortion(codebook, CodebookKind::beta, part.head_dim) / parts;
  }
  Section section(lines, "distortion of a coordinate and score error, Gaussian data");
  if (p.trellis()) {
    for (const char* name : {"distortion_theory", "distortion_theory_sphere"})
      section.missing(name, "mean square", "a search has no closed form");
  } else {
    section.figure("distortion_theory", gaussian, "mean square", Method::counted,
                   p.split() ? "these codebooks on N(0,1), mean" : "this codebook on N(0,1)");
    section.figure(
        "distortion_theory_sphere", sphere, "mean square", Method::counted,
        "on sqrt(d) times a coordinate of the unit sphere: keys scaled to unit mean square");
  }
  section.figure("distortion_lower_bound", lower, "mean square", Method::counted,
                 p.prod()    ? "4^-(b-1): of the codebook, without signs"
                 : p.split() ? "(4^-h + 4^-l) / 2"
                             : "4^-b");
  section.figure(
      "distortion_upper_bound", std::numbers::sqrt3 * std::numbers::pi / 2 * lower, "mean square",
      Method::counted,
      p.two_parts() ? "sqrt(3) * pi / 2 times the lower bound" : "(sqrt(3) * pi / 2) * 4^-b");

  const auto [plain, trace] = gaussian_test(config);
  const files::Result result = run::golden(plain, trace, fast_units());
  add_distortion("gaussian", key_distortion(plain, trace, result),
                 config.parameters.balanced ? "4096 Gaussian keys, seed 1, no center, no exponents"
                                            : "4096 Gaussian keys, seed 1, no center",
                 &section);
  section.figure("gaussian_score_relative_rms_error",
                 score_accuracy(plain, trace, result).relative_rms_error, "ratio", Method::measured,
                 "16 Gaussian queries on these keys");
}

void add_trace_accuracy(const files::Config& config, const files::Trace& trace, Lines* lines) {
  const files::Result result = run::golden(config, trace, fast_units());
  const std::string exact = config.parameters.centered ? "<q, k - c>" : "<q, k>";
  Section section(lines, "accuracy on the trace");
  add_distortion("trace", key_distortion(config, trace, result),
                 std::to_string(trace.key_count()) + " keys", &section);

  const ScoreAccuracy scores = score_accuracy(config, trace, result);
  const std::string against = "score * score_scale against FP64 " + exact;
  section.count("trace_score_pairs", scores.pairs, "pairs", "all queries with all keys");
  section.figure("trace_score_relative_rms_error", scores.relative_rms_error, "ratio",
                 Method::measured, against);
  section.figure("trace_score_max_abs_error", scores.max_abs_error, "score", Method::measured,
                 against);
  section.figure("trace_score_correlation", scores.correlation, "ratio", Method::measured,
                 "Pearson over all pairs; " + against);
  section.figure("trace_attention_kl", scores.attention_kl, "nats", Method::measured,
                 "mean KL(exact || macro) of softmax(score / sqrt(d)) over all keys, no mask");
  section.figure("trace_attention_top1", scores.attention_top1, "fraction", Method::measured,
                 "queries whose largest score is at the same key");
}

}  // namespace axelram::report
