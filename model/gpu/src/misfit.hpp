#pragma once

#include <vector>

#include "cache.hpp"

namespace axelram::gpu {

/// misfits: [layers, 3], of keys, values and queries, see kernels::to_elements. Throws
/// files::InputError, as the stores of the CPU do, for the first one.
void check_misfits(const std::vector<unsigned long long>& misfits, const Batch& batch,
                   const Cache& cache, const Heads& heads);

}  // namespace axelram::gpu
