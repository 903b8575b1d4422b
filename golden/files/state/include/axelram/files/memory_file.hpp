#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "axelram/memory.hpp"

namespace axelram::files {

// State files: the memories of a model between two tokens (bit-contract.md#memory-file).

/// What a state belongs to.
struct MemoryIdentity {
  std::string model;            ///< digest of the checkpoint, 64 hexadecimal digits
  std::string signs;            ///< of signs_digest()
  MemoryParameters memory{};    ///< any store but `f32`
  bool blend_by_model = false;  ///< the checkpoint decides; memory.blend is 0 as read, and ignored
  Parameters parameters;        ///< of records; a center is known from `signs` alone
  std::string code = "none";    ///< of Protection
  ErasurePolicy erasure = ErasurePolicy::keep;
};

struct MemoryFile {
  MemoryIdentity identity;
  std::size_t layers = 0, heads = 0;  ///< KV heads of a layer
  std::int64_t tokens = 0;            ///< 0 to 2^31
  std::vector<MemoryState> states;    ///< [layers, heads], each with these tokens
  std::vector<float> hidden;          ///< final state of the last token; +0 before the first
};

/// Writes the file whole or not at all. Its size does not depend on the tokens. Throws InputError
/// for the store `f32` and for what a reader would reject, such as a NaN in `hidden`;
/// std::logic_error for sizes that contradict each other; and like write_safetensors.
void write_memory_file(const std::string& path, const MemoryFile& file, bool force);

/// Reads a file whatever it belongs to. Throws InputError, which names the first thing that is
/// wrong, where it is and what would be right.
MemoryFile read_memory_file(const std::string& path);
MemoryFile memory_file_from(const Safetensors& file);

/// What a state is to belong to, and sizes of its model.
struct MemoryFileModel {
  MemoryIdentity identity;
  std::size_t layers = 0, heads = 0, hidden = 0;
  std::int64_t longest = std::int64_t{1} << 31;  ///< tokens of a sequence, at most
};

/// Says that the file belongs to another memory of the same model: to other signs, parameters or
/// records.
struct OtherMemoryError : InputError {
  using InputError::InputError;
};

/// Reads a file of this identity. Its banks may be larger than those of the file: slots keep their
/// numbers, and free ones follow them. Throws as the reader above, also for another model or size,
/// and OtherMemoryError. The result has the identity that was asked for.
MemoryFile read_memory_file(const std::string& path, const MemoryIdentity& identity,
                            std::size_t layers, std::size_t heads, std::size_t hidden,
                            std::int64_t longest);
MemoryFile memory_file_from(const Safetensors& file, const MemoryFileModel& model);

/// SHA-256 of the sign rows [layers, KV heads, d], then of the center rows and of the rows of
/// exponents [layers, KV heads, d] where there are any.
std::string signs_digest(const std::vector<std::int8_t>& signs,
                         const std::vector<std::uint16_t>& centers = {},
                         const std::vector<std::int8_t>& balance = {});

}  // namespace axelram::files
