#include "axelram/caches/place.hpp"

#include <cmath>
#include <sstream>

#include "axelram/files/errors.hpp"

namespace axelram::caches {

void refuse(const Place& place, const char* row_name, std::size_t token, const float* row,
            std::size_t d, bool (*fits)(float), const std::string& right) {
  std::size_t i = 0;
  while (i + 1 < d && fits(row[i])) ++i;
  std::ostringstream text;
  text << row_name << " of layer " << place.layer << ", head " << place.head << ", token " << token
       << ": element " << i << " is " << row[i] << "; " << right;
  throw files::InputError(text.str());
}

bool fits_float(float x) { return std::isfinite(x); }

}  // namespace axelram::caches
