#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axelram/calibration/exponents.hpp"
#include "axelram/commands/calibrate.hpp"
#include "axelram/files/exponents.hpp"

namespace axelram::commands {

/// Keys and queries as the macro sees them, and the exponents that make them so.
struct Balancing {
  std::optional<calibration::Exponents> chosen;  ///< with --balance
  /// The chosen ones, or those of the configuration; or none.
  std::optional<files::HeadRows<std::int8_t>> exponents;
  files::BalanceInUse in_use;
  calibration::Keys keys;
  calibration::Queries queries;  ///< empty if none were collected
};

/// config: files of it are in `folder`. Its exponents give way to those of --balance. Throws
/// files::InputError for exponents of another model.
Balancing balancing_of(const CalibrateOptions& options, const std::string& folder,
                       const files::Config& config, const calibration::Keys& keys,
                       const calibration::Queries& queries,
                       const checkpoints::Architecture& architecture);

/// Noise of scores by the energies of every layer and KV head, in nats (noise_of_energies).
/// centered: the macro takes the mean key off; fed_back: an encoder with feedback.
std::vector<double> noise_by_energies(const Parameters& parameters, const calibration::Keys& keys,
                                      const calibration::Queries& queries, bool centered,
                                      bool fed_back);

/// Writes the exponents, and the factors of `axelram fold` beside them, or null. model: digest of
/// the checkpoint.
void write_balance_file(const std::string& path, const calibration::Exponents& exponents,
                        const files::Balance* factors, const std::string& model,
                        files::Metadata metadata, bool force);

}  // namespace axelram::commands
