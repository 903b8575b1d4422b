#pragma once

#include <string>

#include "axelram/files/errors.hpp"
#include "axelram/kernels/device.hpp"

namespace axelram::cli {

/// What call() returns. Without a device, or with too little of its memory, it is the environment
/// that lacks something (files::EnvironmentError; `option` asked for the device, `instead` says
/// what does without). Any other error of the device is a failed run, and passes.
template <class Call>
auto on_device(const std::string& option, const std::string& instead, const Call& call) {
  try {
    return call();
  } catch (const kernels::NoDevice& error) {
    throw files::EnvironmentError(option + ": " + error.what() + "; use " + instead);
  } catch (const kernels::OutOfMemory& error) {
    throw files::EnvironmentError(option + ": " + error.what());
  }
}

}  // namespace axelram::cli
