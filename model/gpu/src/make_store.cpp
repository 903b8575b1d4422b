#include "axelram/caches/kinds.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "fp16_store.hpp"
#include "record_store.hpp"

namespace axelram::gpu {
namespace {

/// Arguments of every store's constructor.
struct Setup {
  bool values;
  const Heads& heads;
  const Capacity& capacity;
  Scratch* scratch;
  Memory* memory;
  kernels::Stream* stream;
};

// One overload for each cache with kOnGpu.

std::unique_ptr<Store> make(const caches::Float16&, const Setup& s) {
  return std::make_unique<Fp16Store>(s.values, s.heads, s.capacity, s.scratch);
}

std::unique_ptr<Store> make(const caches::Axelram& row, const Setup& s) {
  return std::make_unique<RecordStore>(row, s.values, s.heads, s.capacity, s.scratch, s.memory,
                                       s.stream);
}

[[noreturn]] void reject(std::string_view name) {
  std::vector<std::string> known;
  for (const caches::CacheKind& kind : caches::cache_kinds())
    if (kind.devices.size() > 1) known.push_back(kind.name);
  throw files::InputError("--device cuda: no kernel reads the cache " + std::string(name) +
                          "; use " + files::any_of(known) + ", or --device cpu");
}

}  // namespace

void check_supported(const caches::Specification& specification) {
  for (const auto* rows : {&specification.keys, &specification.values})
    std::visit(
        [](const auto& row) {
          if (!row.kOnGpu) reject(row.kName);
        },
        *rows);
}

std::unique_ptr<Store> make_store(const caches::RowSpecification& specification, bool values,
                                  const Heads& heads, const Capacity& capacity, Scratch* scratch,
                                  Memory* memory, kernels::Stream* stream) {
  const Setup setup{values, heads, capacity, scratch, memory, stream};
  return std::visit(
      [&]<class Row>(const Row& row) -> std::unique_ptr<Store> {
        if constexpr (Row::kOnGpu)
          return make(row, setup);
        else
          reject(Row::kName);
      },
      specification);
}

}  // namespace axelram::gpu
