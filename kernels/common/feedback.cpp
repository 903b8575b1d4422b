#include "axelram/kernels/feedback.hpp"

#include <algorithm>
#include <stdexcept>

#include "axelram/codebook.hpp"
#include "axelram/trellis.hpp"

namespace axelram::kernels {

FeedbackHeads FeedbackHeads::from(std::size_t head, std::size_t d) const {
  FeedbackHeads heads = *this;
  heads.weights += head * d;
  if (columns != nullptr) {
    heads.columns += head * d * d;
  } else {
    heads.u += head * d;
    heads.a += head * d;
  }
  return heads;
}

FeedbackTable feedback_table(std::span<const std::shared_ptr<const Feedback>> heads,
                             std::size_t d) {
  const auto is = [](bool full) {
    return [full](const auto& one) { return one != nullptr && one->full() == full; };
  };
  const bool full = std::any_of(heads.begin(), heads.end(), is(true));
  if (full && std::any_of(heads.begin(), heads.end(), is(false)))
    throw std::invalid_argument("feedback: heads are all of rank 1, or all full");
  FeedbackTable table;
  const auto put = [](std::vector<float>* to, const std::vector<float>* from, std::size_t size) {
    if (from != nullptr && from->size() != size)
      throw std::invalid_argument("feedback: constants of another dimension");
    if (from != nullptr)
      to->insert(to->end(), from->begin(), from->end());
    else
      to->resize(to->size() + size);
  };
  for (const auto& one : heads) {
    put(&table.weights, one ? &one->weights : nullptr, d);
    if (full) {
      put(&table.columns, one ? &one->columns : nullptr, d * d);
    } else {
      put(&table.u, one ? &one->u : nullptr, d);
      put(&table.a, one ? &one->a : nullptr, d);
    }
  }
  return table;
}

void set_levels(const Parameters& p, FeedbackHeads* feedback) {
  const std::vector<double> levels =
      p.trellis() ? trellis_levels(p.index_bits)
                  : solve_codebook(p.codebook, p.head_dim, p.index_bits).centroids;
  std::transform(levels.begin(), levels.end(), feedback->levels,
                 [](double level) { return static_cast<float>(level); });
}

DeviceFeedback::DeviceFeedback(Stream& stream, const Parameters& p,
                               std::span<const std::shared_ptr<const Feedback>> heads) {
  const FeedbackTable table = feedback_table(heads, static_cast<std::size_t>(p.head_dim));
  weights_ = Buffer<float>(stream, table.weights);
  u_ = Buffer<float>(stream, table.u);
  a_ = Buffer<float>(stream, table.a);
  columns_ = Buffer<float>(stream, table.columns);
  heads_ = {weights_.data(), u_.data(), a_.data(), columns_.data(), {}};
  set_levels(p, &heads_);
}

}  // namespace axelram::kernels
