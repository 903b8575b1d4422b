#pragma once

#include "axelram/calibration/queries.hpp"
#include "axelram/files/feedback.hpp"

namespace axelram::calibration {

/// What an encoder with feedback keeps of the second moments (bit-contract.md#feedback).
enum class Rank { none, one, full };

/// none: as one with every alpha 0. A head whose queries are all 0 has alpha 0 and an arbitrary
/// direction. Of the two directions the one is taken whose largest element is positive.
files::QueryMoments query_moments(const Queries& queries, Rank rank);

}  // namespace axelram::calibration

namespace axelram {

template <>
struct EnumNames<calibration::Rank> {
  static constexpr EnumRow<calibration::Rank> rows[] = {
      {calibration::Rank::none, "0", "no feedback"},
      {calibration::Rank::one, "1", "along the leading direction of the queries"},
      {calibration::Rank::full, "full", "the whole second moment"}};
};

}  // namespace axelram
