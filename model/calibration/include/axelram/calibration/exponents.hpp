#pragma once

#include <cstdint>
#include <vector>

#include "axelram/calibration/queries.hpp"
#include "axelram/checkpoints/architecture.hpp"
#include "axelram/files/rotation.hpp"
#include "axelram/names.hpp"

namespace axelram::calibration {

/// Whose energies exponents are made from.
enum class BalanceQueries { deflated, whole };

/// Heads of a larger gain are not balanced (bit-contract.md#exponents-rule), unless it is said.
constexpr double kMostBalancedGain = 0.25;

/// Exponents of a model.
struct Exponents {
  files::HeadRows<std::int8_t> rows;  ///< [layers, heads, d], kLeastExponent..kMostExponent
  /// [layers, heads]: G, the square of a score's error with balance over that without, 0..1; 1 for
  /// a head whose keys or queries have no energy.
  std::vector<double> gains;
  bool deflated = true;                  ///< energies are those of BalanceQueries::deflated
  double most_gain = kMostBalancedGain;  ///< of a balanced head, 0..1; 1: every head is

  bool balanced(std::size_t layer, std::size_t head) const {
    return gains[layer * rows.heads + head] <= most_gain;
  }
};

/// By the rule of bit-contract.md#exponents-rule. Both channels of a pair that rotary embedding
/// turns have one exponent; channels that it does not turn have their own.
Exponents exponents_of(const Keys& keys, const Queries& queries,
                       const checkpoints::Architecture& architecture,
                       BalanceQueries balance_queries = BalanceQueries::deflated,
                       double most_gain = kMostBalancedGain);

/// Keys times 2^-exponent, and queries and their moments times 2^exponent: what the macro sees. The
/// shapes must be the same.
Keys balanced(Keys keys, const files::HeadRows<std::int8_t>& exponents);
Queries balanced(Queries queries, const files::HeadRows<std::int8_t>& exponents);

}  // namespace axelram::calibration

namespace axelram {

template <>
struct EnumNames<calibration::BalanceQueries> {
  static constexpr EnumRow<calibration::BalanceQueries> rows[] = {
      {calibration::BalanceQueries::deflated, "deflated",
       "without the leading direction, along which feedback removes the error"},
      {calibration::BalanceQueries::whole, "whole",
       "as they are, for an encoder without feedback"}};
};

}  // namespace axelram
