#pragma once

#include <string>

namespace axelram::sim {

/// sim/harness/harness.cpp, as compiled into this library.
std::string harness_text();

}  // namespace axelram::sim
