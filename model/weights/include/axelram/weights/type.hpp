#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "axelram/files/safetensors.hpp"

namespace axelram::weights {

/// Format of stored weights. All but the first three are block formats of GGUF
/// (references.md#gguf): a block holds a fixed number of values and their common scales.
enum class Type { f32, f16, bf16, q8_0, q4_0, q4_1, q5_0, q5_1, q4_k, q5_k, q6_k };

const char* name_of(Type type);           ///< "F32", "Q4_1", ...
std::size_t values_per_block(Type type);  ///< 1, 32 or 256
std::size_t bytes_per_block(Type type);
inline bool is_plain(Type type) { return values_per_block(type) == 1; }
/// Bytes of `count` values, a multiple of values_per_block.
std::size_t bytes_of(Type type, std::size_t count);

/// "F32, F16, BF16, ... and Q6_K".
std::string all_names();

/// By the number that a GGUF file writes; none for a format that is not supported.
std::optional<Type> type_of_gguf(std::uint32_t number);
/// F32, F16 or BF16; none for another type.
std::optional<Type> type_of(files::DataType type);
/// The inverse. Throws std::logic_error for a block format.
files::DataType data_type_of(Type type);

/// Expands `count` values, a multiple of values_per_block, into floats. `data` may be unaligned.
/// Products of a scale and an integer are exact; the sum with a minimum is rounded once.
void to_floats(Type type, const std::uint8_t* data, std::size_t count, float* values);

}  // namespace axelram::weights
