#include "constants.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "../calibrate_balance.hpp"
#include "../calibrated_files.hpp"
#include "../in_model.hpp"
#include "../key_source.hpp"
#include "axelram/caches/cache.hpp"
#include "axelram/calibration/choose_signs.hpp"
#include "axelram/calibration/later_positions.hpp"
#include "axelram/calibration/position_centers.hpp"
#include "axelram/calibration/score_figures.hpp"
#include "axelram/files/exponents.hpp"
#include "axelram/files/position_centers.hpp"

namespace axelram::commands::tunes {
namespace {

using calibration::BalanceQueries;

constexpr const char* kStep = "calibration";
constexpr int kBlock = 32;  // positions that share a center
/// Tokens of the context that feedback is made for, or the longest of the model if that is less.
constexpr std::size_t kContext = 2048;
constexpr ElementFormat kFormat = ElementFormat::fp16;

/// Keys and queries as a way sees them.
struct Seen {
  std::optional<BalanceQueries> balance;
  const calibration::Keys& keys;
  const calibration::Queries& queries;  ///< with moments of a long context
  std::string digest;                   ///< of the exponents
};

files::Metadata metadata_of(const Work& work) {
  return {{"model", base_name(work.options.model.model)},
          {"text", base_name(work.options.model.text)},
          {"samples", std::to_string(work.parts.samples.size())},
          {"window", std::to_string(work.parts.samples.front().ids.size())}};
}

/// Writes the files of the ways of one balance, each once.
void write_files(const Work& work, const Seen& seen, std::set<std::string>* written) {
  const auto fresh = [&](const std::string& name) {
    return !name.empty() && written->insert(name).second;
  };
  const files::Metadata metadata = metadata_of(work);
  for (const Way& way : key_ways()) {
    if (way.balance != seen.balance) continue;
    if (const std::string name = center_name(way); fresh(name)) {
      files::Metadata of_balance = metadata;
      files::add_balance(seen.digest, &of_balance);
      write_center(work.folder.at(name), seen.keys, calibration::mean_keys(seen.keys, kFormat),
                   kFormat, of_balance, true);
    }
    if (const std::string name = feedback_name(way); fresh(name))
      write_feedback(work.folder.at(name), calibration::query_moments(seen.queries, way.feedback),
                     way.feedback, seen.digest, metadata, true);
  }
}

/// The files of all ways, and what the rule of balance says.
Calibrated write_constants(const Work& work, const calibration::Keys& keys,
                           const calibration::Queries& queries) {
  const checkpoints::Architecture& architecture = work.input.checkpoint.architecture;
  Calibrated made;
  std::set<std::string> written;
  const std::size_t window = work.parts.samples.front().ids.size();
  // Exponents are by the queries of the windows; they do not depend on positions.
  const calibration::Queries later = calibration::at_later_positions(
      queries, window, std::min(kContext, architecture.max_positions), architecture);
  write_files(work, {{}, keys, later, ""}, &written);
  files::write_position_centers(work.folder.at("centers.safetensors"),
                                calibration::position_centers(keys, window, architecture, kBlock),
                                metadata_of(work), true);
  std::string model;  // its digest, for which all weights are read
  for (const BalanceQueries rule : {BalanceQueries::deflated, BalanceQueries::whole}) {
    const calibration::Exponents exponents =
        calibration::exponents_of(keys, queries, architecture, rule);
    const std::string digest = files::exponents_digest(exponents.rows);
    made.rules[rule] = {exponents.gains, !digest.empty()};
    if (digest.empty()) continue;
    const Way of_rule{"", "", {}, {}, 0, Centering::none, rule};
    if (model.empty()) model = checkpoints::digest_of(work.input.checkpoint.path);
    write_balance_file(work.folder.at(balance_name(of_rule)), exponents, nullptr, model,
                       metadata_of(work), true);
    const calibration::Keys balanced_keys = calibration::balanced(keys, exponents.rows);
    const calibration::Queries balanced_queries = calibration::balanced(later, exponents.rows);
    write_files(work, {rule, balanced_keys, balanced_queries, digest}, &written);
  }
  return made;
}

std::vector<Half> halves_of(const Calibrated& made, const std::vector<int>& bits) {
  std::vector<Half> halves;
  for (const int width : bits)
    for (const Way& way : key_ways())
      if (made.has(way)) halves.push_back({false, &way, width});
  return halves;
}

Json json_of(const Calibrated& made) {
  Json figures = Json::object();
  for (const auto& [name, of] : made.figures)
    figures[name] = {{"noise", of.noise}, {"divergence", of.divergence}};
  Json rules = Json::object();
  for (const auto& [rule, of] : made.rules)
    rules[name_of(rule)] = {{"gains", of.gains}, {"any", of.any}};
  return {{"rules", rules}, {"figures", figures}};
}

/// Reads the figures of a former run; none unless all of them and all files are there.
std::optional<Calibrated> noted(const Work& work, const std::vector<int>& bits) {
  const std::optional<nlohmann::json> record = work.folder.record(kStep);
  if (!record) return {};
  Calibrated made;
  try {
    for (const BalanceQueries rule : {BalanceQueries::deflated, BalanceQueries::whole}) {
      const nlohmann::json& of = record->at("rules").at(name_of(rule));
      of.at("gains").get_to(made.rules[rule].gains);
      of.at("any").get_to(made.rules[rule].any);
    }
    const std::size_t heads = made.rules[BalanceQueries::whole].gains.size();
    for (const Half& half : halves_of(made, bits)) {
      const nlohmann::json& of = record->at("figures").at(half.name());
      HeadFigures& figures = made.figures[half.name()];
      of.at("noise").get_to(figures.noise);
      of.at("divergence").get_to(figures.divergence);
      if (figures.noise.size() != heads || figures.divergence.size() != heads) return {};
      std::error_code unknown;
      for (const std::string& name : Recipe{half, {}}.files())
        if (!std::filesystem::is_regular_file(work.folder.at(name), unknown)) return {};
    }
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return made;
}

}  // namespace

double HeadFigures::worst_noise() const { return *std::max_element(noise.begin(), noise.end()); }

bool Calibrated::has(const Way& way) const { return !way.balance || rules.at(*way.balance).any; }

void write_configuration(const Work& work, const Half& half) {
  work.folder.write(half.configuration_name(),
                    configuration(*half.way, half.bits, work.macro,
                                  "Written by axelram tune: " + Recipe{half, {}}.what()));
}

Calibrated calibrate_keys(const Work& work, const std::vector<int>& bits) {
  if (std::optional<Calibrated> made = noted(work, bits)) return *std::move(made);
  const checkpoints::Checkpoint& checkpoint = work.input.checkpoint;
  KeySource source(work.options.model.threads, checkpoint, work.parts.samples, kFormat,
                   work.progress);
  calibration::Queries queries;
  const calibration::Keys keys = in_model(
      work.options.model.model, [&] { return calibration::collect_keys(source.get(), &queries); });
  Calibrated made = write_constants(work, keys, queries);
  const std::vector<Half> halves = halves_of(made, bits);
  std::size_t done = 0;
  for (const Half& half : halves) {
    tell(work.progress, {"scores of keys stored in each way", done++, halves.size(), ""});
    write_configuration(work, half);
    const auto cache = caches::make_cache(Recipe{half, {}}.specification(work.folder.path()),
                                          caches::shape_of(checkpoint.architecture));
    HeadFigures& figures = made.figures[half.name()];
    for (const calibration::ScoreFigures& of :
         calibration::score_figures(keys, queries, *cache, {}, source.workers())) {
      figures.noise.push_back(of.error);
      figures.divergence.push_back(of.divergence);
    }
  }
  work.folder.write_record(kStep, json_of(made));
  return made;
}

}  // namespace axelram::commands::tunes
