#pragma once

#include <string>
#include <vector>

#include "axelram/rtl/layout.hpp"

namespace axelram::rtl {

/// A memory of a macro, an instance of axelram_sram_1r1w: one read port, one write port.
struct Memory {
  std::string holds;     ///< "records", "signs and centers", "copies", "copy exponents" and so on
  std::string instance;  ///< below the top, names joined by dots
  int words;             ///< parameter Depth
  int bits;              ///< of a word, parameter Bits

  int address_bits() const;
  /// Name of an SRAM of this shape, such as paper_d128_b3_sram_4096x400.
  std::string module(const std::string& prefix) const;
};

/// Every memory of a macro, the key store first.
std::vector<Memory> memories(const files::Config& config, const Layout& layout);

/// The first memory of each shape.
std::vector<Memory> shapes(const std::vector<Memory>& memories);

}  // namespace axelram::rtl
