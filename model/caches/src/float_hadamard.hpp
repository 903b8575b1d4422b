#pragma once

namespace axelram::caches {

/// x = H_d x in place, H_d the unnormalised Sylvester matrix; hadamard_ref on floats. d: a power of
/// two; scratch: d floats.
void hadamard(float* x, float* scratch, int d);

}  // namespace axelram::caches
