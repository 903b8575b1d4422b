#include "key_encoder.hpp"

#include <algorithm>

#include "axelram/fast.hpp"
#include "axelram/kernels/device.hpp"

namespace axelram::gpu {

KeyEncoder::KeyEncoder(const caches::AxelramSetup& setup, const HeadLayout& heads)
    : setup_(setup),
      heads_(heads),
      record_bytes_(static_cast<std::size_t>(setup.parameters(false).record_bytes())),
      datapaths_(static_cast<std::size_t>(heads.shape.layers) * heads.kv()) {}

Datapath& KeyEncoder::datapath(int layer, std::size_t head) {
  std::unique_ptr<Datapath>& made =
      datapaths_[static_cast<std::size_t>(layer) * heads_.kv() + head];
  if (!made) {
    Parameters p = setup_.parameters(false);
    p.exact_first = p.exact_last = 0;  // copies are made on the device
    const int number = static_cast<int>(head);
    made = std::make_unique<Datapath>(
        p, setup_.rom(), setup_.signs(layer, number),
        p.centered ? setup_.center(layer, number) : std::vector<std::uint16_t>(), fast_units());
    made->set_feedback(setup_.feedback(layer, number));
  }
  return *made;
}

void KeyEncoder::encode(kernels::Stream& stream, const Chunk& chunk, const std::uint16_t* elements,
                        std::uint8_t* records) {
  const std::size_t heads = heads_.kv(), d = heads_.d();
  std::vector<std::uint16_t> rows(chunk.count * heads * d), keys(chunk.count * d);
  kernels::copy_to_host(stream, rows.data(), elements, rows.size() * sizeof(std::uint16_t));
  std::vector<std::uint8_t> written(chunk.count * heads * record_bytes_);
  std::vector<KeyResult> results(chunk.count);
  for (std::size_t head = 0; head < heads; ++head) {
    for (std::size_t i = 0; i < chunk.count; ++i)
      std::copy_n(&rows[(i * heads + head) * d], d, &keys[i * d]);
    datapath(chunk.layer, head).write(keys.data(), chunk.count, results.data());
    for (std::size_t i = 0; i < chunk.count; ++i)
      if (results[i].status == KeyStatus::stored)
        std::copy_n(results[i].record.data(), record_bytes_,
                    &written[(i * heads + head) * record_bytes_]);
  }
  kernels::copy_to_device(stream, records, written.data(), written.size());
}

}  // namespace axelram::gpu
