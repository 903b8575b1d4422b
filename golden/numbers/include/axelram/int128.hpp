#pragma once

namespace axelram {

// Compilers for 64-bit machines have these types; the C++ standard does not.
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

}  // namespace axelram
