#include "axelram/caches/tier_settings.hpp"

#include <algorithm>
#include <stdexcept>

namespace axelram::caches {
namespace {

constexpr std::size_t kLeastGroup = 8, kMostGroup = 256;

void check_group(const char* name, std::size_t group) {
  if (group >= kLeastGroup && group <= kMostGroup && (group & (group - 1)) == 0) return;
  throw std::invalid_argument(std::string(name) + "=" + std::to_string(group) +
                              " is no group; it must be 8, 16, 32, 64, 128 or 256");
}

/// The largest multiple of `group` up to `step`, at least one; beyond 2^30 - 1 no step is valid.
std::size_t whole_blocks(std::size_t step, std::size_t group) {
  return std::max(step / group, std::size_t{1}) * group;
}

/// The store that needs a file of constants, or "". Values of SQuat are those of KIVI.
std::string calibrated_store(const TierSettings& settings, TierPart part) {
  if (settings.uses(TierFormat::kvquant)) return "kvquant";
  return part == TierPart::keys && settings.uses(TierFormat::squat) ? "squat" : "";
}

}  // namespace

bool TierSettings::uses(TierFormat format) const {
  if (sizes.warm != 0 && warm.format == format) return true;
  if (archive) return archive->format == format;
  return format == TierFormat::kivi || format == TierFormat::squat || format == TierFormat::kvquant;
}

void check_tier_settings(const TierSettings& settings, TierPart part, NamedFiles files) {
  const bool required = files == NamedFiles::required;
  check_tier_sizes(settings.sizes);
  check_group("group", settings.group);
  check_group("value_group", settings.value_group);
  const bool keys = part == TierPart::keys;
  const std::size_t step = settings.sizes.step;
  if (keys && step % settings.group != 0)
    throw std::invalid_argument("group=" + std::to_string(settings.group) +
                                " does not divide step=" + std::to_string(step) +
                                ", and a key block moves whole; write step=" +
                                std::to_string(whole_blocks(step, settings.group)));
  const bool pre = settings.rope == files::Rope::pre;
  if (!settings.archive && !pre)
    throw std::invalid_argument(
        "archive_store=auto is for keys before rotary embedding; write rope=pre");
  if (settings.uses(TierFormat::axelram)) {
    if (keys && pre)
      throw std::invalid_argument(
          "keys of axelram are scored by a table of one query, with rope=pre there would be one "
          "for each token; write rope=post");
    if (required && settings.config.empty())
      throw std::invalid_argument("records of axelram are those of a macro; write config=FILE");
  }
  const std::string calibrated = calibrated_store(settings, part);
  if (required && !calibrated.empty() && settings.calibration.empty())
    throw std::invalid_argument((settings.archive ? calibrated : "auto") +
                                " needs constants; write calibration=FILE, which 'axelram "
                                "calibrate --tiers' writes");
}

std::string to_string(const std::optional<TierStore>& store) {
  return store ? name_of(store->format) + std::to_string(store->bits) : "auto";
}

}  // namespace axelram::caches
