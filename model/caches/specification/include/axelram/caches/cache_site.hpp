#pragma once

#include <cstddef>
#include <string>

#include "axelram/fault.hpp"
#include "axelram/parameters.hpp"

namespace axelram::caches {

/// Position of a HeadCache in the model.
struct CacheSite {
  int layer = 0;
  int head = 0;  ///< KV head
  bool value = false;

  /// Layer, head and value of the bit errors; seed, sequence and token are left at 0.
  FaultSite fault_site() const {
    FaultSite site;
    site.layer = static_cast<std::uint32_t>(layer);
    site.head = static_cast<std::uint32_t>(head);
    site.value = value;
    return site;
  }
  const char* row_name() const { return value ? "value" : "key"; }
};

/// Throws transformer::OutOfRange for the first of the d elements of `row` for which `fits` is
/// false. The message names site, token and element, and ends with `advice`.
[[noreturn]] void reject(const CacheSite& site, const char* row_name, std::size_t token,
                         const float* row, std::size_t d, bool (*fits)(float),
                         const std::string& advice);

/// The same for element `index` with value `value`.
[[noreturn]] void reject(const CacheSite& site, const char* row_name, std::size_t token,
                         std::size_t index, float value, const std::string& advice);

/// Advice for a value that the element format cannot represent.
const char* element_advice(ElementFormat format);

/// True if x is finite.
bool fits_float(float x);

}  // namespace axelram::caches
