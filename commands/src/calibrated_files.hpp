#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/calibration/feedback.hpp"
#include "axelram/calibration/keys.hpp"
#include "axelram/files/safetensors.hpp"

namespace axelram::commands {

/// Writes centers of keys of this shape, [layers, heads, d] raw elements.
void write_center(const std::string& path, const calibration::Keys& shape,
                  const std::vector<std::uint16_t>& center, ElementFormat format,
                  const files::Metadata& metadata, bool force);

/// Writes second moments of queries. balance: digest of the exponents that they were made for, or
/// "".
void write_feedback(const std::string& path, const files::QueryMoments& moments,
                    calibration::Rank rank, const std::string& balance, files::Metadata metadata,
                    bool force);

}  // namespace axelram::commands
