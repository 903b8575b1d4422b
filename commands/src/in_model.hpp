#pragma once

#include <string>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::commands {

/// Runs a model. What it rejects then is due to its weights: the message begins with its name.
template <class Work>
auto in_model(const std::string& model, const Work& work) {
  try {
    return work();
  } catch (const files::InputError& error) {
    throw files::InputError(files::printable(model) + ": " + error.what());
  }
}

}  // namespace axelram::commands
