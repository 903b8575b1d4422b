#include "axelram/faults/fault_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "axelram/fast_fault.hpp"
#include "axelram/faults/record_code.hpp"
#include "axelram/philox.hpp"

namespace axelram::faults {
namespace {

constexpr std::uint32_t kStuckCell = 0x80000000, kStuckValue = 0x90000000, kBurst = 0xA0000000;

std::array<std::uint32_t, 4> philox(const Site& site, std::uint32_t draw, std::uint32_t token,
                                    std::uint32_t trial) {
  return philox4x32(
      {draw, token, site.layer << 16 | site.head << 1, trial},
      {static_cast<std::uint32_t>(site.seed), static_cast<std::uint32_t>(site.seed >> 32)});
}

bool any(const std::uint8_t* bytes, std::size_t count) {
  return std::any_of(bytes, bytes + count, [](std::uint8_t byte) { return byte != 0; });
}

/// Upper ends of the widths' shares of the range 0..2^32 - 1.
std::vector<std::uint64_t> shares(const std::vector<Width>& widths) {
  double total = 0, sum = 0;
  for (const Width& width : widths) total += width.weight;
  std::vector<std::uint64_t> ends;
  for (const Width& width : widths) {
    sum += width.weight;
    ends.push_back(fault_threshold(std::min(1.0, sum / total)));
  }
  if (!ends.empty()) ends.back() = std::uint64_t{1} << 32;
  return ends;
}

}  // namespace

FaultSource::FaultSource(const FaultModel& model, const Site& site, std::size_t words, int n)
    : model_(model),
      site_(site),
      words_(words),
      n_(static_cast<std::size_t>(n)),
      threshold_(fault_threshold(model.rate)),
      width_thresholds_(shares(model.widths)) {}

double FaultSource::exact_rate() const { return std::ldexp(static_cast<double>(threshold_), -32); }

std::vector<double> FaultSource::exact_widths() const {
  std::vector<double> result;
  std::uint64_t before = 0;
  for (const std::uint64_t end : width_thresholds_) {
    result.push_back(std::ldexp(static_cast<double>(end - before), -32));
    before = end;
  }
  return result;
}

std::size_t FaultSource::logical(std::size_t physical) const {
  return model_.interleave ? physical % words_ * n_ + physical / words_ : physical;
}

bool FaultSource::draw(std::uint32_t token, std::uint32_t trial, const std::uint8_t* stored,
                       std::uint8_t* mask) const {
  const std::size_t bytes = (bits() + 7) / 8;
  std::fill_n(mask, bytes, std::uint8_t{0});
  switch (model_.kind) {
    case ModelKind::bsc:
      fault_mask({site_.seed, token, site_.layer, site_.head, false, trial}, bits(), threshold_,
                 mask);
      if (model_.interleave && any(mask, bytes)) deinterleave(mask);
      break;
    case ModelKind::burst:
      burst(token, trial, mask);
      break;
    case ModelKind::stuck:
      stuck(token, trial, stored, mask);
      break;
    case ModelKind::single_flip:
      single_flip(trial, mask);
      break;
  }
  return any(mask, bytes);
}

void FaultSource::single_flip(std::uint32_t trial, std::uint8_t* mask) const {
  if (trial >= bits()) throw std::out_of_range("single flips: no bit " + std::to_string(trial));
  toggle_bit(mask, logical(trial));
}

void FaultSource::burst(std::uint32_t token, std::uint32_t trial, std::uint8_t* mask) const {
  const auto words = philox(site_, kBurst, token, trial);
  if (words[0] >= threshold_) return;
  const std::size_t first = static_cast<std::uint64_t>(words[1]) * bits() >> 32;
  std::size_t choice = 0;
  while (words[2] >= width_thresholds_[choice]) ++choice;
  const auto width = static_cast<std::size_t>(model_.widths[choice].bits);
  // Bits past the end belong to another stored string.
  for (std::size_t bit = first; bit < std::min(bits(), first + width); ++bit)
    toggle_bit(mask, logical(bit));
}

void FaultSource::stuck(std::uint32_t token, std::uint32_t trial, const std::uint8_t* stored,
                        std::uint8_t* mask) const {
  for (std::size_t bit = 0; bit < bits(); bit += 4) {
    const auto block = static_cast<std::uint32_t>(bit / 4);
    const auto cells = philox(site_, kStuckCell + block, token, trial);
    if (*std::min_element(cells.begin(), cells.end()) >= threshold_) continue;
    const auto values = philox(site_, kStuckValue + block, token, trial);
    for (std::size_t i = 0; i < 4 && bit + i < bits(); ++i) {
      const std::size_t at = logical(bit + i);
      const bool value = values[i] >> 31 != 0;
      if (cells[i] < threshold_ && value != get_bit(stored, at)) toggle_bit(mask, at);
    }
  }
}

void FaultSource::deinterleave(std::uint8_t* mask) const {
  const std::vector<std::uint8_t> physical(mask, mask + (bits() + 7) / 8);
  std::fill_n(mask, physical.size(), std::uint8_t{0});
  for (std::size_t byte = 0; byte < physical.size(); ++byte)
    for (std::size_t bit = byte * 8; physical[byte] >> (bit - byte * 8) != 0; ++bit)
      if (get_bit(physical.data(), bit)) toggle_bit(mask, logical(bit));
}

}  // namespace axelram::faults
