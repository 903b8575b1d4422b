#pragma once

#include <string>
#include <type_traits>

#include "axelram/kernels/codes.hpp"
#include "units/codewords.cuh"
#include "units/table_code.cuh"

/// The device code that computes each CodeKernel. A kernel for a further code is a coder in
/// kernels/units, a case here and an instantiation of attend_coded().
namespace axelram::kernels {

/// CodeKernel::table: a code without a specialised coder, computed by TableGroups.
struct NoCoder {};

/// visit(coder) with the coder of `kernel`, or with NoCoder.
template <class Visit>
auto visit_coder(CodeKernel kernel, const Visit& visit) {
  switch (kernel) {
    case CodeKernel::table:
      return visit(NoCoder());
    case CodeKernel::hamming74:
      return visit(HammingCoder<7>());
    case CodeKernel::hamming84:
      return visit(HammingCoder<8>());
    case CodeKernel::golay24:
      return visit(GolayCoder());
  }
  throw DeviceError("CodeKernel " + std::to_string(static_cast<int>(kernel)) + " has no coder");
}

/// visit(Groups()) with the type that computes groups of eight words: every code has one.
template <class Visit>
void visit_groups(CodeKernel kernel, const Visit& visit) {
  visit_coder(kernel, [&](auto coder) {
    if constexpr (std::is_same_v<decltype(coder), NoCoder>)
      visit(TableGroups());
    else
      visit(RegisterGroups<decltype(coder)>());
  });
}

}  // namespace axelram::kernels
