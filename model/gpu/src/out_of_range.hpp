#pragma once

#include <vector>

#include "paged_cache.hpp"

namespace axelram::gpu {

/// out_of_range: [layers, 3], of keys, values and queries, see kernels::to_elements. Throws
/// files::InputError, as the stores of the CPU do, for the first one.
void check_range(const std::vector<unsigned long long>& out_of_range, const Batch& batch,
                 const PagedCache& cache, const HeadLayout& heads);

}  // namespace axelram::gpu
