#pragma once

#include <string>
#include <vector>

#include "axelram/rtl/layout.hpp"

namespace axelram::rtl {

/// Observation ports of a part of a key: norm, indices, correlation. `keys`: the instance of
/// axelram_key_path.
std::vector<Port> part_ports(const files::Config& config, int j, const std::string& keys);

/// Ports of a macro with attention, in order.
std::vector<Port> attention_ports(const files::Config& config, const Layout& layout);
std::vector<Port> attention_observation_ports(const files::Config& config, const Layout& layout);

}  // namespace axelram::rtl
