#include "out_of_range.hpp"

#include <bit>
#include <string>

#include "axelram/caches/cache_site.hpp"
#include "axelram/kernels/layers.hpp"

namespace axelram::gpu {
namespace {

[[noreturn]] void reject(unsigned long long packed, std::size_t layer, bool query, bool value,
                         const Batch& batch, const PagedRows& store, const HeadLayout& heads) {
  const std::size_t number = packed >> 32, d = heads.d();
  const std::size_t group = query ? heads.group : 1;
  const std::size_t row = number / d / (heads.kv() * group);
  const std::size_t head = number / d % (heads.kv() * group) / group;
  const Piece piece = batch.pieces(row, 1).front();
  const caches::CacheSite site{static_cast<int>(layer), static_cast<int>(head), value};
  caches::reject(site, query ? "query" : site.row_name(), piece.token, number % d,
                 std::bit_cast<float>(static_cast<std::uint32_t>(packed)), store.advice());
}

}  // namespace

void check_range(const std::vector<unsigned long long>& out_of_range, const Batch& batch,
                 const PagedCache& cache, const HeadLayout& heads) {
  for (std::size_t i = 0; i < out_of_range.size(); ++i) {
    const bool value = i % 3 == 1, query = i % 3 == 2;
    if (out_of_range[i] != kernels::kAllFit)
      reject(out_of_range[i], i / 3, query, value, batch, value ? cache.values() : cache.keys(),
             heads);
  }
}

}  // namespace axelram::gpu
