#include <algorithm>

#include "axelram/kernels/device.hpp"

namespace axelram::kernels {

void Stream::remember(std::string launch) {
  recent_[launches_ % recent_.size()] = std::move(launch);
  ++launches_;
}

std::string Stream::recent_launches() const {
  if (launches_ == 0) return "no kernel";
  std::string text;
  for (std::size_t back = std::min(launches_, recent_.size()); back > 0; --back) {
    if (!text.empty()) text += ", ";
    text += recent_[(launches_ - back) % recent_.size()];
  }
  return text;
}

}  // namespace axelram::kernels
