#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace axelram::sim {

/// The simulated RTL hangs, or its outputs are too many or too few. A program that catches it ends
/// with exit code 1: the hardware failed a check.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The macro violates the protocol of its streams, or hangs.
class ProtocolError : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

/// An assertion in the RTL failed.
class AssertionError : public ProtocolError {
 public:
  using ProtocolError::ProtocolError;
};

/// The RTL differs from the golden model.
class MismatchError : public SimulationError {
 public:
  MismatchError(std::string which, const std::string& text)
      : SimulationError(text), tensor(std::move(which)) {}
  std::string tensor;
};

}  // namespace axelram::sim
