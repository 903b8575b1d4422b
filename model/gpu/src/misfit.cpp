#include "misfit.hpp"

#include <bit>
#include <string>

#include "axelram/caches/place.hpp"
#include "axelram/kernels/layers.hpp"

namespace axelram::gpu {
namespace {

[[noreturn]] void reject(unsigned long long misfit, std::size_t layer, bool query, bool value,
                         const Batch& batch, const Store& store, const Heads& heads) {
  const std::size_t number = misfit >> 32, d = heads.d();
  const std::size_t group = query ? heads.group : 1;
  const std::size_t row = number / d / (heads.kv() * group);
  const std::size_t head = number / d % (heads.kv() * group) / group;
  const Piece piece = batch.pieces(row, 1).front();
  const caches::Place place{static_cast<int>(layer), static_cast<int>(head), value};
  caches::reject(place, query ? "query" : place.row_name(), piece.token, number % d,
                 std::bit_cast<float>(static_cast<std::uint32_t>(misfit)), store.advice());
}

}  // namespace

void check_misfits(const std::vector<unsigned long long>& misfits, const Batch& batch,
                   const Cache& cache, const Heads& heads) {
  for (std::size_t i = 0; i < misfits.size(); ++i) {
    const bool value = i % 3 == 1, query = i % 3 == 2;
    if (misfits[i] != kernels::kAllFit)
      reject(misfits[i], i / 3, query, value, batch, value ? cache.values() : cache.keys(), heads);
  }
}

}  // namespace axelram::gpu
