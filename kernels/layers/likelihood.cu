#include <cmath>

#include "axelram/kernels/likelihood.hpp"
#include "common/reductions.cuh"
#include "common/row_launch.hpp"

namespace axelram::kernels {
namespace {

constexpr int kWarps = kRowThreads / 32;

struct Whole {
  double log_sum;     // ln of the sum of exp(x_v)
  std::uint32_t top;  // the lowest v of the largest x_v
};

/// Returns both for count values, over the block.
AXELRAM_DEVICE Whole whole_of(const float* x, std::uint32_t count, double* scratch) {
  float largest_of_thread = x[0];
  for (std::uint32_t v = thread_index(); v < count; v += kRowThreads)
    largest_of_thread = Larger()(largest_of_thread, load(x + v));
  const double largest = over_block<kWarps, double>(largest_of_thread, scratch, Larger());
  double sum = 0;
  std::uint32_t top = count;
  for (std::uint32_t v = thread_index(); v < count; v += kRowThreads) {
    const float one = load(x + v);
    sum += exp(one - largest);
    if (one == largest) top = Smaller()(top, v);
  }
  sync_block();
  sum = over_block<kWarps>(sum, scratch, Sum());
  sync_block();
  top = over_block<kWarps>(top, reinterpret_cast<std::uint32_t*>(scratch), Smaller());
  sync_block();
  return {largest + log(sum), top};
}

/// A block for every row. 4 bytes a logit, read three times (the baseline's too), twice from the
/// caches; the exponentials in double bound it if a device has few units for them.
AXELRAM_KERNEL void likelihoods_kernel(const float* logits, const float* baseline,
                                       const std::int32_t* ids, std::uint32_t vocabulary,
                                       Likelihoods out) {
  auto* const scratch = shared_memory<double>();
  const std::size_t row = block_x();
  logits += row * vocabulary;
  const auto id = static_cast<std::uint32_t>(load(ids + row));
  const float own = load(logits + id);
  const Whole whole = whole_of(logits, vocabulary, scratch);
  std::uint32_t before = 0;
  for (std::uint32_t v = thread_index(); v < vocabulary; v += kRowThreads) {
    const float other = load(logits + v);
    before += other > own || (other == own && v < id) ? 1 : 0;
  }
  before = over_block<kWarps>(before, reinterpret_cast<std::uint32_t*>(scratch), Sum());
  sync_block();
  double divergence = 0;
  bool agrees = true;
  if (baseline != nullptr) {
    baseline += row * vocabulary;
    const Whole base = whole_of(baseline, vocabulary, scratch);
    agrees = whole.top == base.top;
    for (std::uint32_t v = thread_index(); v < vocabulary; v += kRowThreads) {
      const double log_p = load(baseline + v) - base.log_sum;
      divergence += exp(log_p) * (log_p - (load(logits + v) - whole.log_sum));
    }
    divergence = over_block<kWarps>(divergence, scratch, Sum());
  }
  if (thread_index() != 0) return;
  out.nll[row] = whole.log_sum - own;
  out.kl[row] = divergence;
  out.rank[row] = before;
  out.agrees[row] = agrees ? 1 : 0;
}

}  // namespace

void likelihoods(Stream& stream, const float* logits, const float* baseline,
                 const std::int32_t* ids, std::size_t rows, std::size_t vocabulary,
                 const Likelihoods& out) {
  Launch l = row_launch("likelihoods", rows, vocabulary);
  if (vocabulary == 0 || vocabulary > 0x7FFFFFFF)
    throw DeviceError(l.text() + ": a vocabulary of 1 .. 2147483647 fits");
  l.shared_bytes = kWarps * sizeof(double);
  launch(stream, l, likelihoods_kernel, logits, baseline, ids,
         static_cast<std::uint32_t>(vocabulary), out);
}

}  // namespace axelram::kernels
