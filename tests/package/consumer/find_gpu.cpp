#include <axelram/kernels/device.hpp>
#include <cstdio>

/// The kernels link; whether a GPU answers does not matter.
int main() {
  try {
    std::printf("%s\n", axelram::kernels::device_info().name.c_str());
  } catch (const axelram::kernels::NoDevice& none) {
    std::printf("%s\n", none.what());
  }
}
