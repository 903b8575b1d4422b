#pragma once

#include <cstddef>
#include <string>

#include "axelram/fault.hpp"
#include "axelram/parameters.hpp"

namespace axelram::caches {

/// Which rows of the model a store holds.
struct Place {
  int layer = 0;
  int head = 0;  ///< KV head
  bool value = false;

  FaultSite site() const {
    FaultSite site;
    site.layer = static_cast<std::uint32_t>(layer);
    site.head = static_cast<std::uint32_t>(head);
    site.value = value;
    return site;
  }
  const char* row_name() const { return value ? "value" : "key"; }
};

/// Throws files::InputError: the first of the d elements of `row` for which `fits` is false, where
/// it is, and `right`: what would be right.
[[noreturn]] void reject(const Place& place, const char* row_name, std::size_t token,
                         const float* row, std::size_t d, bool (*fits)(float),
                         const std::string& right);

/// The same of element `index`, which is `value`.
[[noreturn]] void reject(const Place& place, const char* row_name, std::size_t token,
                         std::size_t index, float value, const std::string& right);

/// What is said of a row that an element format has no numbers for.
const char* element_advice(ElementFormat format);

/// x is a number.
bool fits_float(float x);

}  // namespace axelram::caches
