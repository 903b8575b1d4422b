#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace axelram::cli {

/// Different seeds separated by commas, A-B for all from A to B, at most 1000.
CLI::Validator seed_list();
/// The seeds of a list that seed_list() accepts.
std::vector<std::uint64_t> parse_seeds(const std::string& list);

}  // namespace axelram::cli
