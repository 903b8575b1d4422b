#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/files/memory_file.hpp"
#include "slots.hpp"

namespace axelram::files {

constexpr char kMemoryFormat[] = "axelram-memory";
constexpr char kMemoryVersion[] = "1";
constexpr char kHidden[] = "hidden";
constexpr int kTokenDigits = 10;
constexpr std::int64_t kLongestSequence = std::int64_t{1} << 31;

/// Metadata of a state file, in no order.
const std::vector<std::string>& names_of_metadata();

SlotLayout layout_of(const MemoryIdentity& identity);

/// SHA-256 of the bytes of tensors, one after the other.
std::string content_of(const std::vector<Tensor>& tensors);

/// Throws InputError, "WHERE...", for a state that no tokens leave, and for a hidden state that is
/// not finite, or not +0 before the first token.
void check_states(const std::string& where, const MemoryFile& file, std::int64_t longest);

}  // namespace axelram::files
