#include "calibrate_tiers.hpp"

#include <algorithm>
#include <vector>

#include "arguments.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

CLI::Validator channels_of_run() {
  return CLI::Validator(
      [](const std::string& text) {
        for (int channels = 8; channels <= 256; channels *= 2)
          if (text == std::to_string(channels)) return std::string();
        return "'" + text + "'; give a power of two, 8 .. 256";
      },
      "");
}

/// Errors of the codebooks of one width, keys before values.
void add_errors(const calibration::TierLayer& layer, std::vector<std::string>* row) {
  for (const auto* const part : {&layer.keys, &layer.values})
    for (const calibration::CodebookFigures& one : *part) row->push_back(fixed(one.error, 5));
}

}  // namespace

void declare_tiers(CLI::App* command, commands::CalibrateOptions* o) {
  CLI::Option* const tiers =
      command
          ->add_option("--tiers", o->tiers,
                       "also write constants of the tiers of a cache: matrices of SQuat, ranges, "
                       "codebooks and levels of KVQuant (perplexity --cache "
                       "tiered:...,calibration=FILE); without -o nothing else")
          ->check(file_name())
          ->type_name("FILE");
  add_name(command, "--rope", &o->rope, "of the keys of the tiers")->needs(tiers);
  command
      ->add_option("--outliers", o->outliers,
                   "share of exact elements in a row of KVQuant (default 0.01)")
      ->check(number_to(0.25, "0.25"))
      ->type_name("X")
      ->needs(tiers);
  command
      ->add_option("--squat-channels", o->squat_channels,
                   "channels that SQuat codes together (default 64, or those of a smaller head)")
      ->check(channels_of_run())
      ->type_name("G")
      ->needs(tiers);
  command
      ->add_option("--squat-rank", o->squat_rank,
                   "directions of the queries that weigh errors; all of them from the head's "
                   "channels on (default 60)")
      ->check(whole_number(1, 256))
      ->type_name("R")
      ->needs(tiers);
  command
      ->add_option("--squat-strength", o->squat_strength,
                   "weight of these directions beside 1 for every error (default 0.5)")
      ->check(number_to(1e6, "1000000"))
      ->type_name("L")
      ->needs(tiers);
  command
      ->add_option("--fisher", o->fisher,
                   "weights of the elements in the codebooks, such as squared gradients "
                   "(scripts/models/squared_gradients)")
      ->check(file_name())
      ->type_name("FILE")
      ->needs(tiers);
}

std::string tiers_text(const commands::CalibrateResult& run) {
  if (!run.tiers) return "";
  const files::TierConstants& constants = run.tiers->constants;
  std::vector<std::vector<std::string>> books = {
      {"layer", "keys, 2 bits", "3", "4", "values, 2 bits", "3", "4"}};
  for (std::size_t layer = 0; layer < constants.layers; ++layer) {
    books.push_back({std::to_string(layer)});
    add_errors(run.tiers->layers[layer], &books.back());
  }
  std::vector<std::vector<std::string>> heads = {{"layer", "head", "exponents", "KIVI", "SQuat"}};
  const auto percent = [](const std::optional<double>& share) {
    return share ? fixed(100 * *share, 3) + " %" : std::string("-");
  };
  for (std::size_t pair = 0; pair < run.tiers->heads.size(); ++pair) {
    const calibration::TierHead& head = run.tiers->heads[pair];
    std::string exponents;
    if (!head.exponents.empty()) {
      const auto [least, most] = std::minmax_element(head.exponents.begin(), head.exponents.end());
      exponents = std::to_string(*least);
      if (*least != *most) exponents += " .. " + std::to_string(*most);
    }
    heads.push_back({std::to_string(pair / constants.heads), std::to_string(pair % constants.heads),
                     exponents, percent(head.kivi_error), percent(head.squat_error)});
  }
  return "tiers          keys " +
         std::string(constants.rope == files::Rope::pre ? "before" : "after") +
         " rotary embedding\ncodebooks      mean squared errors of elements in -1 .. 1\n" +
         table(books) + "SQuat          runs of " + std::to_string(constants.squat_channels) +
         " channels; mean squared errors of scores with 2 bits, groups of 32, over\n"
         "               the mean squared score, as KIVI codes the keys and as SQuat does\n" +
         table(heads);
}

}  // namespace axelram::cli
