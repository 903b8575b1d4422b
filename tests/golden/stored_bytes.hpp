#pragma once

#include <cstdint>
#include <vector>

#include "axelram/key_store.hpp"

/// The bytes that a store holds of one key, a codeword or a record.
inline std::vector<std::uint8_t> stored_bytes(const axelram::KeyStore& store, std::size_t key) {
  return {store.stored(key), store.stored(key) + store.stored_bytes()};
}
