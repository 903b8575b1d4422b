#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "axelram/files/config.hpp"

namespace axelram::sim {

/// GTKWave view of the waveform of a configuration: streams, FSM, observation ports. It opens at
/// `marker_cycle`, if any.
std::string gtkwave_view(const files::Config& config, const std::string& fst_path,
                         std::optional<std::uint64_t> marker_cycle);

/// Throws files::EnvironmentError, which names `shown`, if the waveform in `path` was not written
/// to its end. The writer of FST files reports no errors.
void check_whole_fst(const std::string& path, const std::string& shown);

}  // namespace axelram::sim
