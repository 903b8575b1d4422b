#pragma once

#include "axelram/report/token.hpp"
#include "text.hpp"

/// Fields of report's structs, for messages.
FIELDS(axelram::report::ModelShape, layers, kv_heads, query_heads, context);
