#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "axelram/int4.hpp"
#include "axelram/interpolate.hpp"

namespace axelram::caches {

/// Bit errors: every stored bit flips with probability `ber` (0..1) as it is written.
struct Faults {
  double ber = 0;
  std::uint64_t seed = 0;
  bool operator==(const Faults&) const = default;
};

/// Floats as they are.
struct Float32 {
  bool operator==(const Float32&) const = default;
};

/// Floats rounded to FP16 (RNE).
struct Float16 {
  bool operator==(const Float16&) const = default;
};

/// Records as the macro of a configuration file makes and stores them.
struct Axelram {
  std::string config;                 ///< path; any characters but ',' and ';'
  std::optional<std::uint64_t> seed;  ///< of the signs, in place of the configuration's
  Faults faults;
  bool operator==(const Axelram&) const = default;
};

/// The INT4 cache of the ECC paper, a scale per `group` neighbouring values of a token.
struct Int4 {
  Int4Mode mode = Int4Mode::symmetric;
  int group = 0;              ///< values that share a scale; 0: all of the row
  std::string code = "none";  ///< or a name that make_code knows
  ErasurePolicy erasure = ErasurePolicy::keep;
  Faults faults;
  bool operator==(const Int4&) const = default;
};

using StoreSpecification = std::variant<Float32, Float16, Axelram, Int4>;

struct Specification {
  StoreSpecification keys, values;
  bool operator==(const Specification&) const = default;
};

/// `name[:key=value,...]`, or `keys=SPEC;values=SPEC` where they differ:
///   f32
///   fp16
///   axelram:config=FILE,seed=,ber=,fault_seed=
///   int4:mode=symmetric|asymmetric,group=,code=,erasure=keep|zero|interpolate,ber=,fault_seed=
/// All keys but config have a default. Throws files::InputError.
Specification parse_specification(const std::string& text);

/// The shortest text of the same specification: keys in the order above, defaults left out.
std::string to_string(const Specification& specification);

}  // namespace axelram::caches
