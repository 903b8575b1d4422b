#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/calibration/choose_signs.hpp"
#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"
#include "axelram/files/config.hpp"

namespace axelram::commands {

struct CalibrateOptions {
  ModelOptions model;
  std::string output, center, json, config;
  int bits = 3;                                    ///< without a configuration
  CodebookKind codebook = CodebookKind::gaussian;  ///< without a configuration
  std::uint64_t candidates = 200, samples = 8;
  std::uint64_t window = 0;  ///< 0: not given
  std::uint64_t seed = 1;
  bool per_head = false, force = false;
};

struct CalibrateResult {
  CalibrateOptions options;
  files::Config config;  ///< the given one, or one of `bits` and `codebook`
  std::size_t window = 0;
  std::vector<std::uint16_t> center;  ///< empty: none
  calibration::Calibration calibration;
  std::string default_signs;  ///< "seed 42", "all +1" or a file
  double codebook_mse = 0;    ///< of the codebook on its own density, norm 1, times d
};

/// Chooses the signs of the rotation, and key centers, for a model (references.md#axelram,
/// Algorithm 1 and section V), and writes them.
CalibrateResult calibrate(const CalibrateOptions& options, const Progress& progress = {},
                          const Show<CalibrateResult>& show = {});

std::string to_json(const CalibrateResult& result);

}  // namespace axelram::commands
