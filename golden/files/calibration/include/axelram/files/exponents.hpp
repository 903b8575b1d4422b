#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "axelram/files/balance.hpp"
#include "axelram/files/rotation.hpp"
#include "axelram/files/safetensors.hpp"

namespace axelram::files {

/// Metadata of centers and of query moments: exponents_digest() of the exponents that they were
/// made for (bit-contract.md#exponents). No such key: made for keys and queries as they are.
inline constexpr char kBalanceKey[] = "balance_sha256";

/// SHA-256 of all exponents as bytes, in hexadecimal; "" if all of them are 0, or without any:
/// these change nothing.
std::string exponents_digest(const HeadRows<std::int8_t>& rows);
std::string exponents_digest(const std::optional<HeadRows<std::int8_t>>& rows);

/// Adds kBalanceKey, unless the digest is "".
void add_balance(const std::string& digest, Metadata* metadata);

/// `balance` I8 [layers, KV heads, d], which read_exponents() reads. factors: also written, as
/// `lambdas`, which read_balance() reads; or null. Throws like write_safetensors.
void write_exponents(const std::string& path, const HeadRows<std::int8_t>& rows,
                     const Metadata& metadata, bool force, const Balance* factors = nullptr);

/// What a cache or a command balances with: the digest, and the file for messages. Without
/// exponents both are "".
struct BalanceInUse {
  std::string digest, file;
};

/// Throws InputError if the file, of centers or of query moments, was made for other exponents.
void check_made_for(const std::string& path, const BalanceInUse& balance);

}  // namespace axelram::files
