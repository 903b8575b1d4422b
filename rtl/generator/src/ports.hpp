#pragma once

#include <string>
#include <vector>

#include "axelram/rtl/layout.hpp"

namespace axelram::rtl {

/// What a part of a key shows: norm, indices, correlation. `keys`: the instance of
/// axelram_key_path.
std::vector<Port> part_ports(const files::Config& config, int j, const std::string& keys);

/// Of a macro with attention.
std::vector<Port> attention_ports(const files::Config& config, const Layout& layout);
std::vector<Port> attention_observation_ports(const files::Config& config, const Layout& layout);

}  // namespace axelram::rtl
