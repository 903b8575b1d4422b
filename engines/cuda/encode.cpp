#include <algorithm>
#include <array>
#include <optional>

#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/feedback.hpp"
#include "axelram/kernels/write.hpp"
#include "cuda.hpp"
#include "device_rotation.hpp"
#include "on_device.hpp"

namespace axelram::engines {
namespace {

using namespace kernels;

/// The encoder of one head on the device.
class DeviceEncoder {
 public:
  explicit DeviceEncoder(const EncodeRequest& request)
      : constants_(
            macro_constants(request.config.parameters, codebook_rom(request.config.parameters))),
        rotation_(stream_, request.config.head_rotation, request.config.parameters.head_dim),
        center_(stream_, request.config.center) {
    if (request.feedback == nullptr) return;
    const std::array heads{request.feedback};
    feedback_.emplace(stream_, request.config.parameters, heads);
  }

  std::vector<std::uint8_t> records(std::span<const std::uint16_t> keys,
                                    std::size_t scratch_bytes) {
    const auto d = static_cast<std::size_t>(constants_.head_dim);
    const std::size_t count = keys.size() / d;
    const auto bytes = static_cast<std::size_t>(constants_.record_bytes());
    const std::size_t most =
        std::min(count, std::max<std::size_t>(scratch_bytes / (2 * d + bytes), 1));
    const Buffer<std::uint16_t> elements(most * d);
    const Buffer<std::uint8_t> written(most * bytes);
    std::vector<std::uint8_t> all(count * bytes);
    WrittenRows out;
    out.records = written.data();
    for (std::size_t first = 0; first < count; first += most) {
      const std::size_t rows = std::min(most, count - first);
      copy_to_device(stream_, elements.data(), &keys[first * d], rows * d * sizeof keys[0]);
      const ElementRows on_device = ElementRows::dense(elements.data(), rows, 1, d);
      if (feedback_)
        write_keys_with_feedback(stream_, constants_, feedback_->heads(), on_device,
                                 rotation_.rotations(), center_.data(), out);
      else
        write_keys(stream_, constants_, on_device, rotation_.rotations(), center_.data(), out);
      copy_to_host(stream_, &all[first * bytes], written.data(), rows * bytes);
    }
    return all;
  }

 private:
  Stream stream_;
  MacroConstants constants_;
  DeviceRotation rotation_;
  Buffer<std::uint16_t> center_;
  std::optional<DeviceFeedback> feedback_;
};

}  // namespace

std::vector<std::uint8_t> encode_cuda(const EncodeRequest& request, std::size_t scratch_bytes) {
  return on_device([&] { return DeviceEncoder(request).records(request.keys, scratch_bytes); });
}

}  // namespace axelram::engines
