#pragma once

#include <string>

#include "axelram/files/errors.hpp"
#include "axelram/kernels/device.hpp"

namespace axelram::engines {

/// Returns call(). A missing device and too little device memory are files::EnvironmentError; every
/// other error of the device passes.
template <class Call>
auto on_device(const Call& call) {
  try {
    return call();
  } catch (const kernels::NoDevice& error) {
    throw files::EnvironmentError(std::string("--engine cuda: ") + error.what() +
                                  "; use another engine, such as fast");
  } catch (const kernels::OutOfMemory& error) {
    throw files::EnvironmentError(std::string("--engine cuda: ") + error.what());
  }
}

}  // namespace axelram::engines
