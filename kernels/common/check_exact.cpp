#include "common/check_exact.hpp"

#include <cstdint>

namespace axelram::kernels {

void check_exact(const std::string& kernel, const ExactRows& rows, bool keys) {
  const auto reject = [&](const std::string& why) {
    throw DeviceError(kernel + "(exact rows of " + std::to_string(rows.heads) + " heads of " +
                      std::to_string(rows.head_dim) + ", the first " + std::to_string(rows.first) +
                      " and the newest " + std::to_string(rows.last) + " in a ring of " +
                      std::to_string(rows.ring) + "): " + why);
  };
  if (rows.heads < 1) reject("there must be a head");
  if (rows.head_dim != 32 && rows.head_dim != 64 && rows.head_dim != 128 && rows.head_dim != 256)
    reject("head_dim must be 32, 64, 128 or 256");
  if (rows.first < 0 || rows.first > 16) reject("the first ones are 0..16");
  if (rows.last < 0 || rows.last > 64) reject("the newest ones are 0..64");
  if (rows.ring < rows.last) reject("a ring holds at least the newest tokens");
  if (rows.elements == nullptr || reinterpret_cast<std::uintptr_t>(rows.elements) % 16 != 0)
    reject("elements must be 16-byte aligned");
  if (keys && rows.exponents == nullptr) reject("copies of keys need exponents");
}

}  // namespace axelram::kernels
