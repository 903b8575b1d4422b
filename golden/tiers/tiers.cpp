#include "axelram/tiers.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace axelram {
namespace {

/// sink, and all whole steps of the tokens behind the sinks but for the newest `kept`.
std::size_t moved_tokens(const TierSizes& sizes, std::size_t tokens, std::size_t kept) {
  const std::size_t stay = sizes.sink + kept;
  const std::size_t beyond = tokens > stay ? tokens - stay : 0;
  return sizes.sink + beyond / sizes.step * sizes.step;
}

}  // namespace

void check_tier_sizes(const TierSizes& sizes) {
  constexpr std::size_t kEnd = std::size_t{1} << 30;
  struct Size {
    const char* name;
    std::size_t value, least;
  };
  for (const Size& size : {Size{"hot", sizes.hot, 1}, Size{"warm", sizes.warm, 0},
                           Size{"step", sizes.step, 1}, Size{"sink", sizes.sink, 0}})
    if (size.value < size.least || size.value >= kEnd)
      throw std::invalid_argument(std::string(size.name) + " is " + std::to_string(size.value) +
                                  " tokens; " + std::to_string(size.least) +
                                  " to 2^30 - 1 are valid");
}

TierBounds tier_bounds_ref(const TierSizes& sizes, std::size_t tokens) {
  return {moved_tokens(sizes, tokens, sizes.hot),
          moved_tokens(sizes, tokens, sizes.hot + sizes.warm)};
}

TierPlan::TierPlan(const TierSizes& sizes) : sizes_(sizes), bounds_{sizes.sink, sizes.sink} {
  check_tier_sizes(sizes);
}

const TierBounds& TierPlan::advance(std::size_t tokens) {
  if (tokens < tokens_) throw std::invalid_argument("a sequence does not lose tokens");
  tokens_ = tokens;
  const TierBounds now = tier_bounds_ref(sizes_, tokens);
  bounds_.warm_end = std::max(bounds_.warm_end, now.warm_end);
  bounds_.archive_end = std::max(bounds_.archive_end, now.archive_end);
  return bounds_;
}

const TierBounds& TierPlan::flush() {
  bounds_.warm_end = moved_tokens(sizes_, tokens_, 0);
  return bounds_;
}

void TierPlan::resize(const TierSizes& sizes) {
  check_tier_sizes(sizes);
  if (sizes.step != sizes_.step || sizes.sink != sizes_.sink)
    throw std::invalid_argument("step and sink do not change during a sequence");
  sizes_ = sizes;
}

}  // namespace axelram
