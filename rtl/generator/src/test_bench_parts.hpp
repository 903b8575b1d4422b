#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "axelram/parameters.hpp"

namespace axelram::rtl {

/// Vectors of the trace of a test bench: random ones and, at fixed places, zeros, subnormals, the
/// largest elements, and a NaN at the numbers `with_nan`.
class BenchVectors {
 public:
  BenchVectors(const Parameters& parameters, std::set<std::uint32_t> with_nan)
      : parameters_(parameters), with_nan_(std::move(with_nan)) {}

  std::vector<std::uint16_t> next();

 private:
  Parameters parameters_;
  std::set<std::uint32_t> with_nan_;
  std::uint32_t count_ = 0;
};

/// Digits of elements, the first one lowest.
std::string hex_of(const std::uint16_t* elements, std::size_t count);

/// The value of error_counts_o, the first of `errors` counts lowest.
std::string error_counts(const std::vector<std::uint64_t>& counts, int errors);

}  // namespace axelram::rtl
