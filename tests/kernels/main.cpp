#define DOCTEST_CONFIG_IMPLEMENT
#include <exception>
#include <iostream>

#include "axelram/kernels/device.hpp"
#include "check.hpp"

/// One program linked with the emulated kernels, one with the real ones: the latter ends with 77,
/// skipped, where no device answers.
int main(int argc, char** argv) {
  try {
    const axelram::kernels::DeviceInfo device = axelram::kernels::device_info();
    std::cout << "kernels on " << device.name << "\n";
  } catch (const axelram::kernels::NoDevice& error) {
    std::cout << "skipped: " << error.what() << "\n";
    return 77;
  }
  return test::run_cases(argc, argv);
}
