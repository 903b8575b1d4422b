#pragma once

#include <cstdint>
#include <vector>

#include "axelram/faults/record_code.hpp"
#include "axelram/faults/weights.hpp"
#include "axelram/interpolate.hpp"

namespace axelram::faults {

/// The records as written.
struct Truth {
  std::size_t tokens = 0;
  std::vector<std::uint8_t> indices;  ///< [T, d]
  std::vector<std::uint16_t> norms;   ///< [T]
};

/// Error rates of a record's elements on the binary symmetric channel, after decoding and repair.
/// Not a number: no closed form.
struct ElementRates {
  double index = 0;
  double norm = 0;
  double record = 0;                      ///< of records with at least one wrong index; keep only
  double norm_most = 0, record_most = 0;  ///< bounds: repair puts nothing right
};

/// Closed forms: words of a record fail independently, so an element that lies in several words is
/// right where all its parts are; a repaired one also depends on the true values and, interpolated,
/// on two neighbours that fail independently.
class ElementModel {
 public:
  explicit ElementModel(const RecordCode& code);

  ElementRates rates(ErasurePolicy policy, const Truth& truth, double p) const;

 private:
  struct Place {
    std::size_t profile;  // in profiles_
    int shift;            // of the part within its element
  };
  using Element = std::vector<Place>;

  Element element(std::size_t first, std::size_t bits, bool resolve);
  std::size_t profile(int first, int count, bool resolve);

  struct Key {
    int first, count;
    bool resolve;
  };
  const RecordCode& code_;
  std::vector<Key> keys_;  // of profiles_
  std::vector<PartProfile> profiles_;
  std::vector<Element> indices_;
  Element norm_, all_indices_;
};

}  // namespace axelram::faults
