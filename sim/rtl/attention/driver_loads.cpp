#include "axelram/logit.hpp"
#include "axelram/run/script.hpp"
#include "rtl/attention/driver.hpp"

namespace axelram::sim {

void AttentionDriver::load(const run::AttentionStep& step) {
  namespace s = run::attention_step;
  if (const auto* scale = std::get_if<s::LoadScale>(&step)) {
    const BinaryScale loaded =
        softmax_scale(codebook_rom(config_.parameters).score_scale, scale->scale);
    ports_.scale_load.set(1);
    ports_.scale.set(loaded.significand);
    ports_.scale_exponent.set(static_cast<std::uint64_t>(loaded.exponent) & 255U);
  } else if (const auto* rotation = std::get_if<s::LoadRotation>(&step)) {
    rotation_ = rotation;
    rotation_beats_ = 0;
    load_rotation();
  } else if (const auto* inject = std::get_if<s::Inject>(&step)) {
    ports_.inject_load.set(1);
    ports_.inject_value.set(inject->of_values ? 1 : 0);
    ports_.inject_mode.set(static_cast<std::uint64_t>(inject->mode));
    ports_.inject_mask.set_bytes(inject->mask.data());
  } else if (const auto* protect = std::get_if<s::Protect>(&step)) {
    ports_.code_load.set(1);
    ports_.erasure.set(static_cast<std::uint64_t>(protect->erasure));
    ports_.write_back.set(protect->write_back ? 1 : 0);
  } else {
    ports_.errors_clear.set(1);
  }
}

/// The next beat of a row, or none.
void AttentionDriver::load_rotation() {
  const auto lanes = static_cast<std::size_t>(config_.microarchitecture.key_lanes);
  const std::size_t from = lanes * rotation_beats_++;
  if (from == d_) {
    rotation_ = nullptr;
    return;
  }
  loading_ = true;
  std::vector<std::uint8_t> signs((lanes + 7) / 8);
  for (std::size_t i = 0; i < lanes; ++i)
    if (rotation_->rotation.rotation.signs[from + i] < 0)
      signs[i / 8] = static_cast<std::uint8_t>(signs[i / 8] | 1U << i % 8);
  ports_.rotation_load.set(1);
  ports_.rotation_row.set(rotation_->row);
  ports_.rotation_signs.set_bytes(signs.data());
  if (config_.parameters.balanced) {
    std::vector<std::uint8_t> exponents((lanes + 1) / 2);
    for (std::size_t i = 0; i < lanes; ++i) {
      const auto exponent = static_cast<unsigned>(rotation_->rotation.rotation.balance[from + i]);
      exponents[i / 2] =
          static_cast<std::uint8_t>(exponents[i / 2] | (exponent & 15U) << i % 2 * 4);
    }
    ports_.rotation_balance.set_bytes(exponents.data());
  }
  if (config_.parameters.centered)
    ports_.rotation_center.set_bytes(
        reinterpret_cast<const std::uint8_t*>(rotation_->rotation.center.data() + from));
}

/// Ends the loads of the cycle before, but that of a row of the rotations after its last beat.
void AttentionDriver::release() {
  ports_.scale_load.set(0);
  ports_.errors_clear.set(0);
  if (layout_.code) {
    ports_.code_load.set(0);
    ports_.inject_load.set(0);
  }
  if (layout_.rotation_ram) ports_.rotation_load.set(0);
  loading_ = false;
  if (rotation_ != nullptr) load_rotation();
}

}  // namespace axelram::sim
