#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "axelram/files/config.hpp"

namespace axelram::cli {

/// Arguments that several sub-commands take. An optional file that is not given stays "".
CLI::Option* add_config(CLI::App* app, std::string* path);
CLI::Option* add_trace(CLI::App* app, std::string* path);
CLI::Option* add_json(CLI::App* app, std::string* path, const std::string& what);
CLI::Option* add_seed(CLI::App* app, std::uint64_t* seed, const std::string& what);
CLI::Option* add_force(CLI::App* app, bool* force);

/// Rejects "", which would count as not given.
CLI::Validator file_name();
/// Plain decimal digits, `low` to `high`.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);
/// A decimal number from 0 to `high`.
CLI::Validator probability(double high);

}  // namespace axelram::cli
