#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "axelram/commands/needle.hpp"

namespace axelram::commands {

/// Holds the statement that is planted, the question at the end of the text, and the answer.
struct Fact {
  std::string statement, question, answer;
};

/// Fact `trial` of a task; every trial has its own, which depends on the seed.
Fact fact_of(NeedleTask task, std::uint64_t seed, std::size_t trial);

}  // namespace axelram::commands
