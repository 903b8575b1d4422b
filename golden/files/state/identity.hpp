#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axelram/files/memory_file.hpp"

namespace axelram::files {

/// One NAME=VALUE of the metadata `memory` or `numerics` (bit-contract.md#memory-file).
struct IdentityField {
  const char* name;
  std::string valid;  ///< values that read() takes, in words
  std::string (*show)(const MemoryIdentity& identity);
  bool (*read)(std::string_view text, MemoryIdentity* identity);
  bool may_grow = false;  ///< a memory that reads the file may have more
};

/// In the order of the metadata.
const std::vector<IdentityField>& fields_of_memory();
const std::vector<IdentityField>& fields_of_numerics();

/// "NAME=VALUE,NAME=VALUE".
std::string text_of(const std::vector<IdentityField>& fields, const MemoryIdentity& identity);

/// Takes the members from a text. Throws InputError, "WHERE: what; what would be right", unless
/// text_of gives this very text again.
void read_fields(const std::vector<IdentityField>& fields, const std::string& where,
                 std::string_view text, MemoryIdentity* identity);

/// Throws InputError for the first member in which a file differs from what it is to be.
void compare_fields(const std::vector<IdentityField>& fields, const std::string& where,
                    const MemoryIdentity& file, const MemoryIdentity& right);

/// What no memory can have, in one line; nothing if all is legal.
std::optional<std::string> fault_of(const MemoryIdentity& identity);

/// Bytes of a record as stored.
std::size_t stored_bytes_of(const MemoryIdentity& identity);

/// Records of a head of this identity, without signs and center of its own, for
/// check_memory_state().
MemoryRecords records_of(const MemoryIdentity& identity, std::int64_t longest);

/// Throws InputError unless it is 64 hexadecimal digits in lower case.
void check_digest(const std::string& where, const std::string& digest);

}  // namespace axelram::files
