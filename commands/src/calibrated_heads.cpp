#include "calibrated_heads.hpp"

#include "axelram/caches/cache.hpp"
#include "axelram/calibration/energies.hpp"

namespace axelram::commands {
namespace {

/// The mean key's share of the mean square of the keys of a head.
double mean_energy(const calibration::Keys& keys, std::size_t layer, std::size_t head) {
  const float* const rows = keys.of(layer, head);
  double squares = 0, of_mean = 0;
  for (std::size_t i = 0; i < keys.head_dim; ++i) {
    double sum = 0;
    for (std::size_t t = 0; t < keys.rows; ++t) {
      const double element = rows[t * keys.head_dim + i];
      sum += element;
      squares += element * element;
    }
    of_mean += sum * sum / static_cast<double>(keys.rows);
  }
  return squares > 0 ? of_mean / squares : 0;
}

}  // namespace

void look_at_heads(const calibration::Keys& keys, const calibration::Queries& queries,
                   const Balancing& balancing, const OfQueries& chosen,
                   checkpoints::Positions positions, transformer::Workers& workers,
                   CalibrateResult* result) {
  const Parameters& p = result->config.parameters;
  result->kv_heads = keys.heads;
  if (p.copies() != 0)
    result->exact = {static_cast<std::size_t>(p.exact_first),
                     static_cast<std::size_t>(p.exact_last)};
  files::Config config = result->config;
  config.parameters.centered = !result->center.empty();
  config.parameters.balanced = balancing.exponents.has_value();
  const auto rows_of = [&](const auto& values) {
    return files::HeadRows<typename std::decay_t<decltype(values)>::value_type>{
        keys.layers, keys.heads, keys.head_dim, values};
  };
  caches::HeadConstants constants;
  constants.signs = rows_of(result->calibration.signs);
  if (config.parameters.centered) constants.center = rows_of(result->center);
  constants.balance = balancing.exponents;
  const bool fed_back = !result->options.feedback.empty();
  if (fed_back) constants.moments = chosen.moments;
  const auto cache = caches::make_cache(caches::AxelramSetup(config, std::move(constants)));
  const std::vector<calibration::ScoreFigures> figures =
      calibration::score_figures(keys, queries, *cache, result->exact, workers);
  const bool centered = config.parameters.centered;
  const auto noise_of = [&](const calibration::Keys& of_keys, const calibration::Queries& of) {
    return noise_by_energies(config.parameters, of_keys, of, centered,
                             fed_back && result->options.rank != calibration::Rank::none);
  };
  const std::vector<double> noise = noise_of(balancing.keys, balancing.queries);
  const std::vector<double> plain = noise_of(keys, queries);
  for (std::size_t pair = 0; pair < figures.size(); ++pair) {
    CalibratedHead& head = result->heads.emplace_back();
    const std::size_t layer = pair / keys.heads, number = pair % keys.heads;
    head.mean_energy = mean_energy(balancing.keys, layer, number);
    head.concentration = calibration::concentration(calibration::of_pairs(
        calibration::energies_of(balancing.keys, balancing.queries, layer, number), positions));
    head.noise = noise[pair];
    head.plain_noise = plain[pair];
    head.split_factor = chosen.channels.factors[pair];
    head.balance_won = chosen.balanced.won[pair];
    if (!chosen.moments.alphas.empty()) head.alpha = double{chosen.moments.alphas[pair]};
    head.scores = figures[pair];
  }
}

}  // namespace axelram::commands
