#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/datapath.hpp"
#include "paged_rows.hpp"

namespace axelram::gpu {

/// Keys encoded with feedback (bit-contract.md#feedback) on the host, by the functions of the cache
/// on the CPU: their elements come from the device, and their records go back. The device waits
/// meanwhile.
class KeyEncoder {
 public:
  KeyEncoder(const caches::AxelramSetup& setup, const HeadLayout& heads);

  /// elements: [chunk.count, heads, d] raw elements; records: [chunk.count, heads, record_bytes],
  /// zeros of a row that is not finite. Both on the device.
  void encode(kernels::Stream& stream, const Chunk& chunk, const std::uint16_t* elements,
              std::uint8_t* records);

 private:
  Datapath& datapath(int layer, std::size_t head);

  const caches::AxelramSetup& setup_;
  HeadLayout heads_;
  std::size_t record_bytes_;
  std::vector<std::unique_ptr<Datapath>> datapaths_;  ///< [layers, heads], when first used
};

}  // namespace axelram::gpu
