#pragma once

#include <string>

#include "axelram/files/safetensors.hpp"

namespace axelram::files {

/// Rejects a trace whose keys are before rotary embedding, for a reader of keys after it: by its
/// metadata `rope`, or by a tensor of the rotation that would change a key. Cosines of 1, sines and
/// offsets of 0 change none. `advice` ends the message. Throws InputError.
void check_turned_keys(const Safetensors& file, const std::string& advice);

}  // namespace axelram::files
