#pragma once

#include "axelram/sim/cycles.hpp"
#include "text.hpp"

/// Fields of sim's structs, for messages.
FIELDS(axelram::sim::Cycles, write, rotate, build, read, tail, total);
