#include "../src/rows.hpp"
#include "axelram/gpu/model.hpp"
#include "cuda.hpp"
#include "on_device.hpp"

namespace axelram::engines {
namespace {

class OnDevice : public perplexity::Predictor {
 public:
  explicit OnDevice(const PerplexityRequest& request)
      : model_(request.checkpoint, request.specifications, gpu::capacity_for(request.windows)) {}

  std::size_t caches() const override { return model_.caches(); }
  std::vector<std::vector<perplexity::Prediction>> predict(
      std::span<const transformer::Sequence> sequences, std::span<const perplexity::Target> targets,
      std::span<transformer::CacheEvents> events, const perplexity::Advance& advance) override {
    return on_device([&] { return model_.predict(sequences, targets, events, advance); });
  }

 private:
  gpu::Model model_;
};

}  // namespace

void check_cuda_caches(const std::vector<caches::Specification>& specifications) {
  on_device([] { return kernels::device_info(); });
  for (const caches::Specification& one : specifications) {
    caches::check_whole(one, "--engine cuda");
    caches::check_uncentered(one, "--engine cuda");
    gpu::check_supported(one);
  }
}

PerplexityModel cuda_model(const PerplexityRequest& request) {
  return on_device([&] {
    PerplexityModel result;
    result.device = kernels::device_info().name;
    const caches::Shape shape = caches::shape_of(request.checkpoint.architecture);
    for (const caches::Specification& one : request.specifications)
      result.bytes.push_back(bytes_of(*caches::make_cache(one, shape), shape, request.windows));
    result.predictor = std::make_unique<OnDevice>(request);
    return result;
  });
}

}  // namespace axelram::engines
