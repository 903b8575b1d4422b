#pragma once

#include <string>

#include "axelram/kernels/attend_in_order.hpp"
#include "axelram/kernels/attention.hpp"

namespace axelram::kernels {

/// "16 queries of 8 x 4 heads; keys: ...; values: ..."
std::string text_of(const AttentionShape& shape, const AttentionCache& cache,
                    const AttentionQueries& queries);

/// Throws DeviceError, naming the kernel, for shapes that contradict each other.
void check_attention(const std::string& kernel, const AttentionShape& shape,
                     const AttentionCache& cache, const AttentionQueries& queries);

/// Throws DeviceError, naming the kernel and its shapes, for weights of too few or too many bits.
void check_weight_bits(const char* kernel, const std::string& shapes,
                       const AttentionConstants& attention);

/// Factor that turns the product of a key and a query (acc * norm * 2^e_u, or <q, k>) into a score
/// in base 2.
double score_factor(const AttentionShape& shape, const AttentionCache& cache);

}  // namespace axelram::kernels
