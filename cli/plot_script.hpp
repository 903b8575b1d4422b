#pragma once

namespace axelram::cli {

/// The text of scripts/plot, written by embed_script.cmake.
extern const char* const kPlotScript;

}  // namespace axelram::cli
