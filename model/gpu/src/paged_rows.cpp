#include "paged_rows.hpp"

#include "axelram/caches/kinds.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "paged_fp16.hpp"
#include "paged_records.hpp"

namespace axelram::gpu {
namespace {

/// Constructor arguments of PagedRows.
struct Setup {
  bool values;
  const HeadLayout& heads;
  const Capacity& capacity;
  Scratch* scratch;
  Memory* memory;
  kernels::Stream* stream;
};

// Two overloads for each cache with kOnGpu.

bool pads(const caches::Float16&) { return true; }

std::unique_ptr<PagedRows> make(const caches::Float16&, const Setup& s) {
  return std::make_unique<PagedFp16>(s.values, s.heads, s.capacity, s.scratch);
}

bool pads(const caches::Axelram&) { return false; }

std::unique_ptr<PagedRows> make(const caches::Axelram& row, const Setup& s) {
  return std::make_unique<PagedRecords>(row, s.values, s.heads, s.capacity, s.scratch, s.memory,
                                        s.stream);
}

[[noreturn]] void reject(std::string_view name) {
  std::vector<std::string> known;
  for (const caches::CacheKind& kind : caches::cache_kinds())
    if (kind.devices.size() > 1) known.push_back(kind.name);
  throw files::InputError("--device cuda: no kernel reads the cache " + std::string(name) +
                          "; use " + files::any_of(known) + ", or --device cpu");
}

/// Calls function(row) if a kernel reads the cache; otherwise rejects it by name.
template <class Result, class Function>
Result visit_supported(const caches::RowSpecification& specification, const Function& function) {
  return std::visit(
      [&]<class Row>(const Row& row) -> Result {
        if constexpr (Row::kOnGpu)
          return function(row);
        else
          reject(Row::kName);
      },
      specification);
}

}  // namespace

bool pads_heads(const caches::RowSpecification& specification) {
  return visit_supported<bool>(specification, [](const auto& row) { return pads(row); });
}

void check_supported(const caches::Specification& specification) {
  pads_heads(specification.keys);
  pads_heads(specification.values);
  caches::reject_half_attention(specification);
}

std::unique_ptr<PagedRows> make_paged_rows(const caches::RowSpecification& specification,
                                           bool values, const HeadLayout& heads,
                                           const Capacity& capacity, Scratch* scratch,
                                           Memory* memory, kernels::Stream* stream) {
  const Setup setup{values, heads, capacity, scratch, memory, stream};
  return visit_supported<std::unique_ptr<PagedRows>>(
      specification, [&](const auto& row) { return make(row, setup); });
}

}  // namespace axelram::gpu
