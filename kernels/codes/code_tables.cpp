#include <vector>

#include "axelram/kernels/codes.hpp"

namespace axelram::kernels {
namespace {

/// Check bits of every value of `bits` data bits from bit `first` on.
void append_parity(const Code& code, int first, int bits, std::vector<std::uint16_t>* table) {
  const std::uint64_t data_bits =
      code.k < 64 ? (std::uint64_t{1} << code.k) - 1 : ~std::uint64_t{0};
  for (std::uint64_t value = 0; value < std::uint64_t{1} << bits; ++value)
    table->push_back(static_cast<std::uint16_t>(check_bits_ref(code, value << first & data_bits)));
}

}  // namespace

DeviceCode::DeviceCode(Stream& stream, const Code& code) : code_(code) {
  view_ = {code.family != nullptr ? code.family->kernel : CodeKernel::table,
           code.n,
           code.k,
           nullptr,
           nullptr,
           nullptr};
  multiprocessors_ = device_info().multiprocessors;
  std::vector<std::uint16_t> parity, errors;
  std::vector<CodePattern> patterns;
  switch (view_.kernel) {
    case CodeKernel::hamming74:
    case CodeKernel::hamming84:
      break;  // computed without tables
    case CodeKernel::golay24:
      append_parity(code, 0, 12, &parity);
      for (std::uint16_t& check : parity) check = static_cast<std::uint16_t>(2 * check);
      for (const ErrorPattern& p : code.patterns)
        errors.push_back(
            static_cast<std::uint16_t>(p.error.data | static_cast<unsigned>(p.status) << 12));
      break;
    case CodeKernel::table:
      for (int first = 0; first < code.k; first += 8) append_parity(code, first, 8, &parity);
      for (const ErrorPattern& p : code.patterns)
        patterns.push_back({p.error.data, p.error.check, static_cast<std::uint32_t>(p.status)});
      break;
  }
  parity_ = Buffer<std::uint16_t>(stream, parity);
  errors_ = Buffer<std::uint16_t>(stream, errors);
  patterns_ = Buffer<CodePattern>(stream, patterns);
  view_.parity = parity_.data();
  view_.errors = errors_.data();
  view_.patterns = patterns_.data();
}

}  // namespace axelram::kernels
