#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/files/trace.hpp"
#include "axelram/parameters.hpp"

namespace axelram::run {

/// Independent N(0,1) elements, rounded to the element format, for which the codebook is optimal.
/// The same seed gives the same trace.
files::Trace gaussian_trace(const Parameters& parameters, std::size_t keys, std::size_t queries,
                            std::uint64_t seed);

}  // namespace axelram::run
