#pragma once

#include <string>
#include <vector>

namespace axelram::caches {

/// Value of a key that names a configuration.
constexpr const char* kConfiguration = "FILE|NAME";

/// One key of a cache specification, such as `ber=P`.
struct CacheParameter {
  std::string key;       ///< "": a value without a key
  std::string value;     ///< kConfiguration, N, P, NAME, or the choices: symmetric|asymmetric
  std::string fallback;  ///< used if the key is absent; "" if the key is required
  std::string help;

  /// "key=value", as a user writes it.
  std::string text() const { return key.empty() ? value : key + '=' + value; }
};

/// One row of the table of caches.
struct CacheKind {
  std::string name;
  std::vector<CacheParameter> parameters;
  std::string help;
  std::vector<std::string> devices;  ///< cpu, cuda
};

/// The caches that a specification can name, in the order of RowSpecification.
const std::vector<CacheKind>& cache_kinds();

/// Help text of `--cache`, one line for each kind: `int4:mode=symmetric|asymmetric,group=N,...`.
/// `indent` begins each line.
std::string cache_help(const std::string& indent);

}  // namespace axelram::caches
