#pragma once

#include <string>
#include <vector>

#include "axelram/code.hpp"

/// Names of all example codes of code_families(). A new row is tested wherever this list is used.
inline std::vector<std::string> code_examples() {
  std::vector<std::string> names;
  for (const axelram::CodeFamily& family : axelram::code_families())
    names.insert(names.end(), family.examples.begin(), family.examples.end());
  return names;
}
