#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/caches/cache_site.hpp"
#include "axelram/datapath.hpp"
#include "rows/float_vectors.hpp"
#include "rows/row_memory.hpp"

namespace axelram::caches {

/// Constants of all head caches of one specification on the CPU.
struct CpuSetup {
  CpuSetup(AxelramSetup constants, const UnitTable& table)
      : setup(std::move(constants)),
        units(table),
        code(std::make_shared<const RowCode>(
            setup.code(), static_cast<std::size_t>(setup.parameters(false).record_bits()), units)) {
  }

  Datapath datapath(const CacheSite& site) const {
    Parameters p = setup.parameters(site.value);
    if (site.value) p.exact_first = p.exact_last = 0;  // exact values are elements, not copies
    std::vector<std::uint16_t> center;
    if (p.centered) center = setup.center(site.layer, site.head);
    HeadRotation rotation = setup.rotation(site.layer, site.head);
    if (site.value) rotation = rotation.of_values();
    Datapath datapath(p, setup.rom(), std::move(rotation), center, units);
    if (!site.value) datapath.set_feedback(setup.feedback(site.layer, site.head));
    return datapath;
  }

  RowMemory memory(const CacheSite& site) const {
    const Parameters p = setup.parameters(site.value);
    const ErasurePolicy policy = setup.erasure();
    const auto repair = [code = code, policy, fields = record_fields(p)](
                            std::size_t, const DecodedRecord& before, const DecodedRecord& current,
                            const DecodedRecord& after, std::uint8_t* repaired) {
      repair_record_ref(*code->code(), policy, fields, before, current, after, repaired);
    };
    return {code, policy, repair, setup.faults(), site.fault_site()};
  }

  AxelramSetup setup;
  const UnitTable& units;
  std::shared_ptr<const RowCode> code;
};

/// The write path of a key or a value cache: floats to elements, to records, to the memory.
class RecordRows {
 public:
  RecordRows(const CpuSetup& setup, const CacheSite& site)
      : site_(site),
        datapath_(setup.datapath(site)),
        memory_(setup.memory(site)),
        elements_(static_cast<std::size_t>(datapath_.parameters().head_dim)) {}

  void begin(std::uint32_t sequence) { memory_.begin(sequence); }
  void inject(double p, std::uint64_t seed) { memory_.inject(p, seed); }

  /// Calls keep(token, elements, result) for each row. Returns RowMemory::settle().
  template <class Keep>
  std::size_t write(const float* rows, std::size_t count, const Keep& keep) {
    constexpr std::size_t kTogether = 64;
    const std::size_t d = elements_.size();
    rows_.resize(std::min(count, kTogether) * d);
    written_.resize(std::max(written_.size(), std::min(count, kTogether)));
    for (std::size_t first = 0; first < count; first += kTogether) {
      const std::size_t together = std::min(kTogether, count - first);
      for (std::size_t i = 0; i < together; ++i)
        std::copy_n(elements(rows + (first + i) * d, site_.row_name(), memory_.size() + i), d,
                    &rows_[i * d]);
      datapath_.write(rows_.data(), together, written_.data());
      for (std::size_t i = 0; i < together; ++i) {
        const std::size_t token = memory_.size();
        memory_.append(written_[i].record.data());
        keep(token, &rows_[i * d], written_[i]);
      }
    }
    return memory_.settle();
  }

  /// The elements of one row, valid until the next call. Throws files::InputError for a value that
  /// has no finite element.
  const std::uint16_t* elements(const float* row, const char* row_name, std::size_t token) {
    const ElementFormat format = datapath_.parameters().element_format;
    if (!to_elements(row, elements_.size(), format, elements_.data()))
      reject(site_, row_name, token, row, elements_.size(),
             format == ElementFormat::fp16 ? fits_half : fits_bfloat16, element_advice(format));
    return elements_.data();
  }

  double stored_bytes() const { return static_cast<double>(memory_.code().stored_bytes()); }
  const RowMemory& memory() const { return memory_; }
  Datapath& datapath() { return datapath_; }
  const Datapath& datapath() const { return datapath_; }

 private:
  CacheSite site_;
  Datapath datapath_;
  RowMemory memory_;
  std::vector<std::uint16_t> elements_;
  std::vector<std::uint16_t> rows_;  ///< elements of rows that are written together
  std::vector<KeyResult> written_;
};

}  // namespace axelram::caches
