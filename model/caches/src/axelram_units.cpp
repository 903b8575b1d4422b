#include "axelram_units.hpp"

#include "axelram/caches/place.hpp"

namespace axelram::caches {

AxelramUnits::AxelramUnits(const Axelram& store, const Shape& shape, const UnitTable& units)
    : family_(store, shape),
      units_(units),
      code_(std::make_shared<const RowCode>(
          family_.code(), static_cast<std::size_t>(family_.parameters().record_bits()), units)) {}

Datapath AxelramUnits::datapath(int layer, int head, bool value) const {
  Parameters p = family_.parameters();
  p.centered = p.centered && !value;
  std::vector<std::uint16_t> center;
  if (p.centered) center = family_.center(layer, head);
  return {p, family_.rom(), family_.signs(layer, head), center, units_};
}

RowMemory AxelramUnits::memory(int layer, int head, bool value) const {
  const Parameters& p = family_.parameters();
  const ErasurePolicy policy = family_.erasure();
  const auto repair = [code = code_, policy, d = p.head_dim, b = p.index_bits](
                          std::size_t, const DecodedRecord& before, const DecodedRecord& current,
                          const DecodedRecord& after, std::uint8_t* repaired) {
    repair_record_ref(*code->code(), policy, d, b, before, current, after, repaired);
  };
  return {code_, policy, repair, family_.faults(), Place{layer, head, value}.site()};
}

}  // namespace axelram::caches
