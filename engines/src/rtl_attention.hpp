#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/transformer/kv_cache.hpp"

namespace axelram::engines {

/// Keys and values of one layer and KV head in a Verilated macro with attention. Nothing is stored
/// here: each call of attend() sends the tokens and the queries to the macro. `config` is that of
/// the head, `library` its model.
std::unique_ptr<transformer::HeadAttention> rtl_attention(files::Config config,
                                                          std::string library);

/// Appends rows of a model as elements; `what` is a key, a value or a query. Throws
/// files::InputError for a value beyond the range of the element format.
void append_elements(const files::Config& config, const float* rows, std::size_t count,
                     const char* what, std::vector<std::uint16_t>* elements);

}  // namespace axelram::engines
