#pragma once

#include <cstdint>
#include <vector>

#include "axelram/faults/profiles.hpp"
#include "axelram/faults/record_code.hpp"
#include "axelram/interpolate.hpp"

namespace axelram::faults {

/// Elements of the records as written; see RecordCode.
struct StoredData {
  std::size_t tokens = 0;
  std::vector<std::uint8_t> values;  ///< [T, elements()], indices and residual signs
  std::vector<std::uint16_t> norms;  ///< [T, norms()]
};

/// Error rates of a record's elements on the binary symmetric channel, after decoding and repair.
/// NaN: no closed form.
struct ElementRates {
  double index = 0;  ///< of an index or residual sign
  double norm = 0;
  double record = 0;  ///< records with at least one wrong index or sign; policy keep only
  double norm_bound = 0, record_bound = 0;  ///< upper bounds: no erasure is repaired rightly
};

/// Closed forms of the element error rates. Words of a record fail independently, so an element in
/// several words is right if all its parts are right. A repaired element also depends on the stored
/// values; an interpolated one depends on two neighbours, which fail independently.
class ElementModel {
 public:
  explicit ElementModel(const RecordCode& code);

  ElementRates rates(ErasurePolicy policy, const StoredData& stored, double p) const;

 private:
  /// Bits of an element that lie in one word.
  struct ElementPart {
    std::size_t profile;  // index in profiles_
    int shift;            // first bit of the part within the element
  };
  struct Element {
    std::vector<ElementPart> parts;
    int bits = 0;
    bool repairable = true;  ///< false: kept by every policy
  };

  Element element(std::size_t first, int bits, bool resolve);
  std::size_t profile(int first, int count, bool resolve);

  struct ProfileKey {
    int first, count;
    bool resolve;
  };
  const RecordCode& code_;
  std::vector<ProfileKey> keys_;  // of profiles_
  std::vector<PartProfile> profiles_;
  std::vector<Element> elements_, norms_;
  Element all_elements_;
};

}  // namespace axelram::faults
