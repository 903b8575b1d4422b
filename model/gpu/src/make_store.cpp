#include "axelram/files/errors.hpp"
#include "fp16_store.hpp"
#include "record_store.hpp"

namespace axelram::gpu {
namespace {

const char* name_without_kernel(const caches::StoreSpecification& store) {
  if (std::holds_alternative<caches::Float32>(store)) return "f32";
  if (std::holds_alternative<caches::Int4>(store)) return "int4";
  return nullptr;
}

}  // namespace

void check_supported(const caches::Specification& specification) {
  for (const auto* store : {&specification.keys, &specification.values})
    if (const char* const name = name_without_kernel(*store))
      throw files::InputError("--device cuda: no kernel reads the cache " + std::string(name) +
                              "; fp16 and axelram are read there, all caches with --device cpu");
}

std::unique_ptr<Store> make_store(const caches::StoreSpecification& specification, bool values,
                                  const Heads& heads, const Capacity& capacity, Scratch* scratch,
                                  Memory* memory, kernels::Stream* stream) {
  if (const auto* axelram = std::get_if<caches::Axelram>(&specification))
    return std::make_unique<RecordStore>(*axelram, values, heads, capacity, scratch, memory,
                                         stream);
  return std::make_unique<Fp16Store>(values, heads, capacity, scratch);
}

}  // namespace axelram::gpu
