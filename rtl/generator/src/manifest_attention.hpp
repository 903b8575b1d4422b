#pragma once

#include <nlohmann/json_fwd.hpp>

#include "generator_internal.hpp"

namespace axelram::rtl {

/// Lines that a macro with attention adds to the sections of the manifest.
void add_attention_widths(const Design& design, nlohmann::ordered_json* widths);
void add_attention_latencies(const Design& design, nlohmann::ordered_json* latencies);
void add_attention_constants(const Design& design, nlohmann::ordered_json* constants);

}  // namespace axelram::rtl
