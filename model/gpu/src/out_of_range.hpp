#pragma once

#include <vector>

#include "paged_cache.hpp"

namespace axelram::gpu {

/// Throws files::InputError for the first value that does not fit its element format, with the
/// message of the CPU. out_of_range: [layers, 3] of keys, values and queries, see
/// kernels::to_elements.
void check_range(const std::vector<unsigned long long>& out_of_range, const Batch& batch,
                 const PagedCache& cache, const HeadLayout& heads);

}  // namespace axelram::gpu
