#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "axelram/feedback.hpp"
#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/device.hpp"
#include "axelram/kernels/rows.hpp"
#include "axelram/kernels/write.hpp"

namespace axelram::kernels {

/// Constants of the encoder with feedback (bit-contract.md#feedback): those of axelram::Feedback,
/// head by head, in device memory, and the levels.
struct FeedbackHeads {
  const float* weights = nullptr;  ///< [heads, d]; the first of a head is 0 if nothing is fed back
  const float* u = nullptr;        ///< [heads, d], rank 1
  const float* a = nullptr;        ///< [heads, d], rank 1
  const float* columns = nullptr;  ///< [heads, d, d], full; null: rank 1
  float levels[32] = {};           ///< of unit variance, ascending: 2^b; of a trellis 2^(b+1)

  /// The same from a head on.
  FeedbackHeads from(std::size_t head, std::size_t d) const;
};

/// The same on the host, without levels.
struct FeedbackTable {
  std::vector<float> weights, u, a, columns;
};

/// heads: the constants of each head; null: nothing is fed back. Throws std::invalid_argument if
/// some are of rank 1 and others full, or for sizes other than d.
FeedbackTable feedback_table(std::span<const std::shared_ptr<const Feedback>> heads, std::size_t d);

/// Sets the levels of the codebook, or of the trellis.
void set_levels(const Parameters& parameters, FeedbackHeads* feedback);

/// The constants of heads on the device. heads: as feedback_table(), of keys of `parameters`.
class DeviceFeedback {
 public:
  DeviceFeedback(Stream& stream, const Parameters& parameters,
                 std::span<const std::shared_ptr<const Feedback>> heads);
  const FeedbackHeads& heads() const { return heads_; }

 private:
  Buffer<float> weights_, u_, a_, columns_;
  FeedbackHeads heads_;
};

/// The write path with indices chosen with feedback, as golden's Datapath with its feedback
/// writes keys. The keys of a head without feedback are encoded as the hardware encodes them.
///
/// Arguments are those of write_keys(). Any legal strides and addresses. Throws DeviceError as
/// write_keys() does, and without constants.unbiased, without the constants of rank 1 or full
/// feedback, or if thresholds, reconstructions or path costs are wanted, which feedback has not.
void write_keys_with_feedback(Stream& stream, const MacroConstants& constants,
                              const FeedbackHeads& feedback, const ElementRows& keys,
                              const KeyRotations& rotations, const std::uint16_t* center,
                              const WrittenRows& out);

}  // namespace axelram::kernels
