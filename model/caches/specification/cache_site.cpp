#include "axelram/caches/cache_site.hpp"

#include <cmath>
#include <sstream>

#include "axelram/transformer/out_of_range.hpp"

namespace axelram::caches {

void reject(const CacheSite& site, const char* row_name, std::size_t token, const float* row,
            std::size_t d, bool (*fits)(float), const std::string& advice) {
  std::size_t i = 0;
  while (i + 1 < d && fits(row[i])) ++i;
  reject(site, row_name, token, i, row[i], advice);
}

void reject(const CacheSite& site, const char* row_name, std::size_t token, std::size_t index,
            float value, const std::string& advice) {
  std::ostringstream text;
  text << row_name << " of layer " << site.layer << ", head " << site.head << ", token " << token
       << ": element " << index << " is " << value;
  throw transformer::OutOfRange(text.str(), advice);
}

const char* element_advice(ElementFormat format) {
  return format == ElementFormat::fp16
             ? "FP16 holds numbers up to 65504; use a configuration with element_format: bf16"
             : "BF16 holds numbers up to 3.39e38; no element_format holds this one";
}

bool fits_float(float x) { return std::isfinite(x); }

}  // namespace axelram::caches
