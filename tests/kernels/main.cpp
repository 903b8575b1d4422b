#define DOCTEST_CONFIG_IMPLEMENT
#include <iostream>

#include "axelram/kernels/device.hpp"
#include "check.hpp"

/// Runs the test cases on the kernels that the program is linked with, emulated or real. Exit code
/// 77, skipped, if no device answers.
int main(int argc, char** argv) {
  try {
    const axelram::kernels::DeviceInfo device = axelram::kernels::device_info();
    std::cout << "kernels on " << device.name << "\n";
  } catch (const axelram::kernels::NoDevice& error) {
    std::cout << "skipped: " << error.what() << "\n";
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
