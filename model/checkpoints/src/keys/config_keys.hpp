#pragma once

#include <span>
#include <string>
#include <string_view>

#include "json_object.hpp"
#include "keys/meaning.hpp"

namespace axelram::checkpoints {

/// A key of config.json, as the configuration class of transformers reads it.
struct ConfigKey {
  std::string_view of;  ///< families, or kinds of rotary scaling, with spaces between
  std::string_view key;
  Meaning absent, null;
  Held held;
};

/// Keys of config.json, by family: the `model_type`.
std::span<const ConfigKey> config_keys();
/// Keys of the object that describes a rotary embedding (rope_scaling, rope_parameters or an object
/// in it), by kind: default, linear, llama3, yarn.
std::span<const ConfigKey> rotary_keys();

/// The object with a value for each key of a row `of` it. Other keys are as they are. look_outside:
/// values of keys that it does not have. Throws files::InputError for a key that is null and must
/// not be, and for a value that is not held; a key that is missing and must not be stays missing.
JsonObject completed(JsonObject object, std::span<const ConfigKey> rows, std::string_view of,
                     const Lookup& look_outside = {});

/// " without vocab_size (32000)": sizes that config.json leaves out, for messages on tensors; "" if
/// it has all of them.
std::string assumed_sizes(const JsonObject& config, std::string_view of);

/// Rows as a Markdown table. first: name of the column `of`.
std::string config_keys_markdown(std::span<const ConfigKey> rows, const std::string& first);

}  // namespace axelram::checkpoints
