#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "axelram/parameters.hpp"
#include "axelram/rtl/layout.hpp"
#include "generator_internal.hpp"
#include "lists.hpp"

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

/// `text` with each @NAME@ replaced.
std::string filled(std::string text, const std::map<std::string, std::string>& values);

/// `bench` with what belongs to a code, or without: @CODED@, @ARMED@, @LOAD@ and @CODE_CHECK@. An
/// error is injected into every `record` that is read.
std::string with_code(const std::string& bench, bool coded, const std::string& record);
/// Adds the ports of a code, if the macro has one.
void add_code_connections(const Layout& layout, std::vector<Connection>* connections);

/// The instance of the top, with a wire for each observation port that it has.
std::string top_instance(const Design& design, std::vector<Connection> connections);

}  // namespace axelram::rtl
