#pragma once

#include <string>

namespace axelram::sim {

/// Text of sim/harness/harness.cpp, embedded in this library.
std::string harness_text();

}  // namespace axelram::sim
