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
/// Those of axelram_attention_macro that load its rotations.
std::vector<Port> rotation_ports(const files::Config& config);
std::vector<Port> attention_observation_ports(const files::Config& config, const Layout& layout);

}  // namespace axelram::rtl
