#pragma once

#include <map>
#include <string>
#include <vector>

#include "recipes.hpp"
#include "text_parts.hpp"
#include "unfinished_folder.hpp"

namespace axelram::commands::tunes {

/// Inputs and settings of a run.
struct Work {
  const TuneOptions& options;
  const ModelAndText& input;
  const TextParts& parts;
  const std::string& digest;  ///< of the model
  const Macro& macro;
  const UnfinishedFolder& folder;
  const Progress& progress;
};

/// Figures of keys stored in one way, [layers, heads] (TunedHead).
struct HeadFigures {
  std::vector<double> noise, divergence;

  double worst_noise() const;
};

/// Figures of the keys and queries of the calibration windows.
struct Calibrated {
  /// What the rule of balance says by one kind of queries.
  struct Rule {
    std::vector<double> gains;  ///< [layers, heads]
    bool any = false;           ///< a head has exponents
  };
  std::map<calibration::BalanceQueries, Rule> rules;
  std::map<std::string, HeadFigures> figures;  ///< by name of the half

  /// Whether a way differs from the one without exponents.
  bool has(const Way& way) const;
};

/// Writes the files of all ways of keys that a model has, and their configurations with each number
/// of bits, and looks at the scores of each head; or reads what a former run noted. Throws
/// files::InputError.
Calibrated calibrate_keys(const Work& work, const std::vector<int>& bits);

/// Writes the configuration of a half.
void write_configuration(const Work& work, const Half& half);

}  // namespace axelram::commands::tunes
