#include "key_feedback.hpp"

#include <algorithm>

#include "axelram/kernels/device.hpp"

namespace axelram::gpu {

KeyFeedback::KeyFeedback(const caches::AxelramSetup& setup, const HeadLayout& heads, Memory* memory,
                         kernels::Stream* stream)
    : layout_(heads), any_(static_cast<std::size_t>(heads.shape.layers)) {
  const std::size_t count = any_.size() * heads.kv() * heads.d();
  weights_ = memory->take<float>(count);
  if (setup.full_feedback()) {
    columns_ = memory->take<float>(count * heads.d());
  } else {
    u_ = memory->take<float>(count);
    a_ = memory->take<float>(count);
  }
  if (memory->plans()) return;
  all_ = {weights_.data(), u_.data(), a_.data(), columns_.data(), {}};
  kernels::set_levels(setup.parameters(false), &all_);
  for (int layer = 0; layer < heads.shape.layers; ++layer) upload(setup, layer, stream);
}

void KeyFeedback::upload(const caches::AxelramSetup& setup, int layer, kernels::Stream* stream) {
  const auto number = static_cast<std::size_t>(layer);
  std::vector<std::shared_ptr<const Feedback>> of_heads;
  for (int head = 0; head < layout_.shape.heads; ++head)
    of_heads.push_back(setup.feedback(layer, head));
  any_[number] =
      std::any_of(of_heads.begin(), of_heads.end(), [](const auto& one) { return one != nullptr; });
  const kernels::FeedbackTable table = kernels::feedback_table(of_heads, layout_.d());
  const auto put = [&](const kernels::Buffer<float>& to, const std::vector<float>& rows) {
    kernels::copy_to_device(*stream, to.data() + number * rows.size(), rows.data(),
                            rows.size() * sizeof(float));
  };
  put(weights_, table.weights);
  put(u_, table.u);
  put(a_, table.a);
  put(columns_, table.columns);
}

kernels::FeedbackHeads KeyFeedback::heads(int layer) const {
  return all_.from(static_cast<std::size_t>(layer) * layout_.kv(), layout_.d());
}

}  // namespace axelram::gpu
