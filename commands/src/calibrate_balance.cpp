#include "calibrate_balance.hpp"

#include "axelram/calibration/energies.hpp"
#include "axelram/calibration/feedback.hpp"
#include "axelram/calibration/predicted_noise.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/places.hpp"
#include "json.hpp"

namespace axelram::commands {

Balancing balancing_of(const CalibrateOptions& options, const std::string& folder,
                       const files::Config& config, const calibration::Keys& keys,
                       const calibration::Queries& queries,
                       const checkpoints::Architecture& architecture) {
  Balancing balancing;
  if (!options.balance.empty()) {
    balancing.chosen = calibration::exponents_of(keys, queries, architecture,
                                                 options.balance_queries, options.balance_gain);
    balancing.exponents = balancing.chosen->rows;
    balancing.in_use.file = options.balance;
  } else if (!config.rotation.balance_file.empty()) {
    balancing.in_use.file = files::inside(folder, config.rotation.balance_file);
    balancing.exponents = files::read_exponents(balancing.in_use.file, config.parameters);
    if (balancing.exponents->layers != keys.layers || balancing.exponents->heads != keys.heads)
      throw files::InputError(
          balancing.in_use.file + ": holds " + std::to_string(balancing.exponents->layers) +
          " layers of " + std::to_string(balancing.exponents->heads) + " heads; the model has " +
          std::to_string(keys.layers) + " of " + std::to_string(keys.heads));
  }
  balancing.in_use.digest = files::exponents_digest(balancing.exponents);
  balancing.keys = keys;
  balancing.queries = queries;
  if (balancing.in_use.digest.empty()) return balancing;
  balancing.keys = calibration::balanced(std::move(balancing.keys), *balancing.exponents);
  if (queries.layers != 0)
    balancing.queries = calibration::balanced(std::move(balancing.queries), *balancing.exponents);
  return balancing;
}

std::vector<double> noise_by_energies(const Parameters& parameters, const calibration::Keys& keys,
                                      const calibration::Queries& queries, bool centered,
                                      bool fed_back) {
  const files::QueryMoments moments = calibration::query_moments(queries, calibration::Rank::one);
  const auto d = static_cast<double>(keys.head_dim);
  std::vector<double> noise;
  for (std::size_t layer = 0; layer < keys.layers; ++layer)
    for (std::size_t head = 0; head < keys.heads; ++head) {
      const calibration::Energies of = calibration::energies_of(keys, queries, layer, head);
      double of_keys = 0, of_queries = 0;
      for (const double energy : of.keys) of_keys += energy;
      for (const double energy : of.queries) of_queries += energy;
      if (!centered) {
        of_keys = 0;
        const float* const rows = keys.of(layer, head);
        for (std::size_t i = 0; i < keys.rows * keys.head_dim; ++i)
          of_keys += double{rows[i]} * double{rows[i]} / static_cast<double>(keys.rows);
      }
      // The trace is that of the leading eigenvalue, 1 + alpha times the mean of the others.
      if (fed_back) of_queries *= d / (d + double{moments.alphas[layer * keys.heads + head]});
      noise.push_back(
          calibration::noise_of_energies(parameters, of_keys, of_queries, queries.attention_scale));
    }
  return noise;
}

void write_balance_file(const std::string& path, const calibration::Exponents& exponents,
                        const files::Balance* factors, const std::string& model,
                        files::Metadata metadata, bool force) {
  using calibration::BalanceQueries;
  metadata["model_sha256"] = model;
  metadata["queries"] =
      name_of(exponents.deflated ? BalanceQueries::deflated : BalanceQueries::whole);
  metadata["most_gain"] = Json(exponents.most_gain).dump();
  metadata["gains"] = Json(exponents.gains).dump();
  files::write_exponents(path, exponents.rows, metadata, force, factors);
}

}  // namespace axelram::commands
