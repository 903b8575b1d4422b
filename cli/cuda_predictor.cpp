#include "cuda_predictor.hpp"

#include "axelram/gpu/model.hpp"
#include "axelram/kernels/device.hpp"
#include "on_device.hpp"

namespace axelram::cli {
namespace {

template <class Call>
auto on_cuda(const Call& call) {
  return on_device("--device cuda", "--device cpu", call);
}

class OnDevice : public perplexity::Predictor {
 public:
  OnDevice(const checkpoints::Checkpoint& checkpoint,
           const std::vector<caches::Specification>& specifications, const gpu::Capacity& capacity)
      : model_(checkpoint, specifications, capacity) {}

  std::size_t caches() const override { return model_.caches(); }
  std::vector<std::vector<perplexity::Prediction>> predict(
      std::span<const transformer::Sequence> sequences, std::span<const perplexity::Target> targets,
      std::span<transformer::CacheEvents> events) override {
    return on_cuda([&] { return model_.predict(sequences, targets, events); });
  }

 private:
  gpu::Model model_;
};

}  // namespace

void check_cuda(const std::vector<caches::Specification>& specifications) {
  on_cuda([] { return kernels::device_info(); });
  for (const caches::Specification& one : specifications) gpu::check_supported(one);
}

CudaPredictor cuda_predictor(const checkpoints::Checkpoint& checkpoint,
                             const std::vector<caches::Specification>& specifications,
                             const std::vector<perplexity::Window>& windows) {
  return on_cuda([&] {
    CudaPredictor result;
    result.device_name = kernels::device_info().name;
    result.predictor =
        std::make_unique<OnDevice>(checkpoint, specifications, gpu::capacity_for(windows));
    return result;
  });
}

}  // namespace axelram::cli
