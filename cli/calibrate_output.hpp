#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/calibration/choose_signs.hpp"
#include "axelram/files/config.hpp"
#include "model_arguments.hpp"

namespace axelram::cli {

struct CalibrateOptions {
  ModelArguments model;
  std::string output, center, json, config;
  int bits = 3;
  std::string codebook = "gaussian";
  std::uint64_t candidates = 200, samples = 8;
  std::uint64_t window = 0;  ///< 0: not given
  std::uint64_t seed = 1;
  bool per_head = false, force = false;
};

struct CalibrateRun {
  files::Config config;  ///< the given one, or what --bits and --codebook say
  std::size_t window = 0;
  std::vector<std::uint16_t> center;  ///< empty: none
  calibration::Calibration calibration;
};

std::string calibrate_text(const CalibrateOptions& options, const CalibrateRun& run);
std::string calibrate_json(const CalibrateOptions& options, const CalibrateRun& run);

}  // namespace axelram::cli
